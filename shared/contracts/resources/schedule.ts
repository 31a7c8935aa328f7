// When the runs of a scheduled signal are expected: as published, and as stored. Reference: docs/reference/v3.md, 3.24.
import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { maxSeconds } from '#shared/contracts/resources/field-types.ts'

/** Kind of the signals on which senders report the ends of runs that a schedule expects. */
export const scheduleKind = 'schedule'

/** Whether the first run is expected although none has ended. */
export const firstRuns = ['wait', 'expect'] as const

const Reference = Strict({ meta: Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' }) })
type Reference = { meta: string }

/** A period or a grace: one minute to one year, in seconds. */
export const scheduleSeconds = { minimum: 60, maximum: maxSeconds } as const
const Seconds = Type.Integer(scheduleSeconds)
const Text = Type.String({ minLength: 1, maxLength: 100, plain: 'line' })

/** A value, or the field that says it. One union, so that a refusal names the member. */
const Stated = <T extends Parameters<typeof Type.Union>[0][number]>(value: T) =>
  Type.Optional(Type.Union([value, Reference, Type.Null()]))

export const ManifestSchedule = Strict({
  period_seconds: Stated(Seconds),
  cron: Stated(Text),
  zone: Stated(Text),
  grace_seconds: Type.Union([Seconds, Reference]),
  first: Stated(Type.Enum([...firstRuns])),
})

/** When runs are expected: each `periodSeconds` after an end, or by `cron` in `zone`. A reference names the field that says it. */
export interface SignalSchedule {
  /** Seconds. Null: `cron` alone counts. If both are set, an empty `cron` means the period. */
  periodSeconds: number | Reference | null
  cron: string | Reference | null
  /** Null: UTC. */
  zone: string | Reference | null
  graceSeconds: number | Reference
  first: (typeof firstRuns)[number] | Reference
}

/** A signal on which senders report ends of runs, and which is missed if none comes in time. */
export interface ScheduledSignal {
  key: string
  kind: typeof scheduleKind
  everySeconds: null
  schedule: SignalSchedule
  help: string
}
