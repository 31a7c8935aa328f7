// What a prober with credentials of its location asks the installation, and what it is answered: all that it may send on the bus.
// The location comes from the bus subject, never from here.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'

/** One token of a bus subject. */
const Token = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** What a live prober says of itself. */
export const ProberState = Type.Object(
  { version: Type.String({ maxLength: 40 }), inFlight: Count, buffered: Count, shed: Count },
  { additionalProperties: false },
)

export const doorRequests = {
  /** Reports: subject and check result. One that is none is dropped and counted, and the others are stored before this is answered. */
  report: Type.Object({ reports: Type.Array(Type.Unknown(), { maxItems: 50 }) }),
  /**
   * The next changes of the location's checks after a position, null: from the beginning. Where there are none it is answered when there
   * are, when a prober comes or leaves, or after a while.
   */
  changes: Type.Object({ after: Nullable(Type.Object({ stream: Type.String({ maxLength: 64 }), revision: Count })) }),
  /** Says that a prober lives. */
  beat: Type.Object({ proberId: Token, state: ProberState }),
  /** Says that it leaves. */
  leave: Type.Object({ proberId: Token }),
  /** Who checks for the location. */
  members: Type.Object({}),
  /** The bus's time. */
  time: Type.Object({}),
} as const

export type DoorVerb = keyof typeof doorRequests
export type DoorRequest<V extends DoorVerb> = Static<(typeof doorRequests)[V]>

/** A prober of the location; one that left is told for a while. */
export interface Member {
  proberId: string
  /** The bus's time of its newest beat, or of its leaving. */
  at: number
  hasLeft: boolean
}

export interface Members {
  members: Member[]
  /** The revision of the newest change of the location's checks that is known here; null: none is. */
  changedAt: number | null
}

export interface Change {
  subjectId: string
  revision: number
  /** The bus's time of the change. */
  at: number
  /** The check entry; null: there is nothing to check any more. */
  value: unknown
}

export interface Changes {
  changes: Change[]
  /** Where the next ones begin. Another stream than the one asked for: these begin anew, and what they do not name is gone. */
  position: { stream: string; revision: number }
  /** Nothing is newer. */
  isLast: boolean
  /** Set where a prober has come or left while this was waited for. */
  members?: Member[]
}

export interface DoorAnswers {
  /** How many of them were none. */
  report: { dropped: number }
  changes: Changes
  beat: Members
  leave: null
  members: Members
  /** `at`: ms since the epoch, wrong by `errorMs` at most. */
  time: { at: number; errorMs: number }
}

/** A report as the keepers take it. */
export const DoorReport = Type.Tuple([Token, Type.Unknown()])
export type DoorReport = Static<typeof DoorReport>
