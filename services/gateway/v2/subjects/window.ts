// A maintenance window as it is sent and answered (spec B, Maintenance window): both ways to it, generation 2 and the session API,
// speak the same.
import { type Static, Type } from 'typebox'
import type { CustomSubjectView, WindowView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { marks } from '../../field-values.ts'
import { millisecondsOf, timestamp, timestampOrNull } from '../../instants.ts'
import { Answered, Instant, Kind, OrNull } from '../../result-schema.ts'
import { parseTimestamp } from '../../rfc3339.ts'

const EndsAt = Type.String({
  description: 'RFC 3339 with its own zone offset, in the future.',
  ...marks({ missing: { message: 'invalid observed_at', details: 'ends_at is required' } }),
})
export const WindowBody = Type.Object({ ends_at: EndsAt, kind: Type.Optional(Type.Unknown()) }, { additionalProperties: false })

export const Window = Answered('MaintenanceWindow', {
  subject_id: Type.String(),
  started_at: Instant,
  ends_at: Instant,
  cancelled_at: OrNull(Instant),
  active: Type.Boolean(),
  muted: Type.Array(Type.Enum(['problem', 'no_data'])),
  kind: Kind('maintenance_window'),
})

/** The instant that the body names, in whole milliseconds, up to the year 9999. Missing, unreadable and passed share one message (spec B, Errors). */
export function readEndsAt({ ends_at: text }: Static<typeof WindowBody>, now: number): number {
  const atUs = parseTimestamp(text)
  if (atUs === null) throw invalidEnd('ends_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05+01:00')
  const endsAt = millisecondsOf(atUs)
  if (endsAt > now) return endsAt
  throw invalidEnd('ends_at must be in the future')
}

const invalidEnd = (details: string): AppError => new AppError('validation', 'invalid observed_at', { details })

export const windowObject = ({ slug }: Pick<CustomSubjectView, 'slug'>, window: WindowView, now: number) => ({
  subject_id: slug,
  started_at: timestamp(window.startedAt),
  ends_at: timestamp(window.endsAt),
  cancelled_at: timestampOrNull(window.cancelledAt),
  active: window.cancelledAt === null && window.endsAt > now,
  muted: ['problem', 'no_data'],
  kind: 'maintenance_window',
})
