// Requests to the door, and the responses to these requests. The door is a bus subject of one location. Probers of this location on other
// machines send requests to it. A prober with credentials can send nothing else on the bus. The location comes only from the bus subject.
import { type Static, Type } from 'typebox'
import { ask, Nullable, Strict } from '#shared/contracts/common.ts'

/** A text that is valid as one token of a bus subject. */
const Token = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** A kind of check: null if the prober can make it, else a sentence that says why not. */
const Ability = Nullable(Type.String({ maxLength: 300 }))

/**
 * State that a live prober reports about itself. `unreadable`: number of check entries that it cannot read, because they are damaged or of a
 * newer version; absent: none. `knows`: newest level of an installation that it knows; absent: the prober is older than levels. `kinds`: kinds of checks that it knows; absent: the prober is older than they are. `perSecond`: number of
 * checks a second that its monitors need.
 */
export const ProberState = Strict({
  version: Type.String({ maxLength: 40 }),
  kinds: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,32}$' }), Ability, { maxProperties: 32 })),
  perSecond: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  inFlight: Count,
  buffered: Count,
  shed: Count,
  unreadable: Type.Optional(Count),
  knows: Type.Optional(Count),
})

export const doorRequests = {
  /**
   * Sends reports of checks. The door stores the valid reports, then responds. It drops invalid reports; `dropped` is their number.
   */
  report: ask<{ dropped: number }>()({ reports: Type.Array(Type.Unknown(), { maxItems: 50 }) }),
  /**
   * Returns the next changes of the location's checks after the position `after`. `after` null: returns changes from the beginning. If
   * there is no newer change, the door waits. It responds at the next change, when a prober joins or leaves, or after a timeout.
   */
  changes: ask<Changes>()({ after: Nullable(Type.Object({ stream: Type.String({ maxLength: 64 }), revision: Count })) }),
  /**
   * Returns changes of the location's checks as `changes` does, of one bucket: of entries that are alone (`checks`), or of pages. A prober
   * of before the pages does not know this request, and reads `changes`.
   */
  entries: ask<Changes>()({
    of: Type.Union([Type.Literal('checks'), Type.Literal('check-pages')]),
    after: Nullable(Type.Object({ stream: Type.String({ maxLength: 64 }), revision: Count })),
  }),
  /** Notifies the door that the prober is alive. */
  beat: ask<Members>()({ proberId: Token, state: ProberState }),
  /** Notifies the door that the prober stops. */
  leave: ask<null>()({ proberId: Token }),
  /** Returns the probers of the location. */
  members: ask<Members>()({}),
  /** Returns the time of the bus, ms since the epoch. The error of this time is at most `errorMs`. */
  time: ask<{ at: number; errorMs: number }>()({}),
} as const

export type DoorVerb = keyof typeof doorRequests
export type DoorRequest<V extends DoorVerb> = Static<(typeof doorRequests)[V]>
export type DoorAnswers = { [V in DoorVerb]: (typeof doorRequests)[V]['~result'] }

/** A prober of the location. A prober that has stopped stays in the list for a while. */
export interface Member {
  proberId: string
  /** Bus time of the prober's newest `beat` request, or of its `leave` request. */
  at: number
  hasLeft: boolean
  /** Kinds of checks that the prober can make; absent: it is older than kinds of checks, or the directory is. */
  kinds?: string[]
}

export interface Members {
  members: Member[]
  /** Revision of the newest known change of the location's checks; null: none is known. */
  changedAt: number | null
  /** The same of the pages of checks; absent: the directory is older than pages. */
  pagesChangedAt?: number | null
}

/** Bucket with checks: with entries that are alone, or with pages. */
export type CheckBucket = DoorRequest<'entries'>['of']

/** Name of what has changed: of the subject with the entry, or of the page. */
export type ChangedName = { subjectId: string } | { page: number }

export type Change = ChangedName & {
  revision: number
  /** Instant of the change on bus time. */
  at: number
  /** The check entry or the page; null: it was removed. */
  value: unknown
}

export interface Changes {
  changes: Change[]
  /**
   * Position after the last of these changes. If its `stream` differs from the `stream` in the request, these changes replace all changes
   * that the prober received before.
   */
  position: { stream: string; revision: number }
  /** True if there are no newer changes. */
  isLast: boolean
  /** Probers of the location, set only if a prober joined or left while the door waited. */
  members?: Member[]
}

/** A report as a prober sends it to the door: subject and check result. */
export const DoorReport = Type.Tuple([Token, Type.Unknown()])
export type DoorReport = Static<typeof DoorReport>
