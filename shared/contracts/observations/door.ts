// Requests of a prober on another machine to the door of its location, and their responses. A prober with credentials can send nothing else
// on the bus. The location comes only from the bus subject.
import { type Static, Type } from 'typebox'
import { ask, Nullable, Strict } from '#shared/contracts/common.ts'

/** A text that is valid as one token of a bus subject. */
const Token = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** State that a live prober reports about itself. */
export const ProberState = Strict({ version: Type.String({ maxLength: 40 }), inFlight: Count, buffered: Count, shed: Count })

export const doorRequests = {
  /**
   * Reports: subject and check result. The door drops and counts invalid reports and stores the others before it responds. `dropped`:
   * number of invalid reports.
   */
  report: ask<{ dropped: number }>()({ reports: Type.Array(Type.Unknown(), { maxItems: 50 }) }),
  /**
   * The next changes of the location's checks after a position; null: from the beginning. If there are none, the door responds after the
   * next change, after a prober joins or leaves, or after a timeout.
   */
  changes: ask<Changes>()({ after: Nullable(Type.Object({ stream: Type.String({ maxLength: 64 }), revision: Count })) }),
  /** Heartbeat of a prober. */
  beat: ask<Members>()({ proberId: Token, state: ProberState }),
  /** Sign-off of a prober that stops. */
  leave: ask<null>()({ proberId: Token }),
  /** The probers of the location. */
  members: ask<Members>()({}),
  /** The time of the bus, ms since the epoch, with an error of at most `errorMs`. */
  time: ask<{ at: number; errorMs: number }>()({}),
} as const

export type DoorVerb = keyof typeof doorRequests
export type DoorRequest<V extends DoorVerb> = Static<(typeof doorRequests)[V]>
/** Results of requests by their verb. */
export type DoorAnswers = { [V in DoorVerb]: (typeof doorRequests)[V]['~result'] }

/** A prober of the location. A prober that has left stays in the list for a while. */
export interface Member {
  proberId: string
  /** Bus time of the prober's newest heartbeat, or of its sign-off. */
  at: number
  hasLeft: boolean
}

export interface Members {
  members: Member[]
  /** Revision of the newest known change of the location's checks; null: none is known. */
  changedAt: number | null
}

export interface Change {
  subjectId: string
  revision: number
  /** Bus time of the change. */
  at: number
  /** The check entry; null: the check was removed. */
  value: unknown
}

export interface Changes {
  changes: Change[]
  /** Position after these changes. If its stream differs from the requested one, the changes replace all earlier ones. */
  position: { stream: string; revision: number }
  /** True if there are no newer changes. */
  isLast: boolean
  /** Set if a prober joined or left during the wait. */
  members?: Member[]
}

/** A report in the shape that keepers read: location and check result. */
export const DoorReport = Type.Tuple([Token, Type.Unknown()])
export type DoorReport = Static<typeof DoorReport>
