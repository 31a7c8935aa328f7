// A ping on a scheduled signal, as the gateway sends it to the keeper of the Resource, and how it was taken (docs/reference/v3.md, section
// 17).
import { type Static, Type } from 'typebox'
import { command, Nullable, SignalName, type Stored } from '#shared/contracts/common.ts'

export const pingActions = ['success', 'fail', 'start', 'log'] as const
export type PingAction = (typeof pingActions)[number]

export const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
/** Canonical UUID in lower case. */
export const Uuid = Type.String({ pattern: uuidPattern })

export const pushTokenPattern = '^[A-Za-z0-9]{20,64}$'
export const pingKeyPattern = '^[A-Za-z0-9_-]{16,64}$'
export const pingSlugPattern = '^[a-z0-9][a-z0-9_-]{0,99}$'

/** Token of an address in the manner of Uptime Kuma. */
export const PushToken = Type.String({ pattern: pushTokenPattern })
/** Ping key of a workspace. A UUID is refused as a ping key, so that no address means both. */
export const PingKeyText = Type.String({ pattern: pingKeyPattern })
/** Key of a Resource as an address of a ping key can name it. */
export const PingSlug = Type.String({ pattern: pingSlugPattern })

/** Text: the kept part, in UTF-8 without control characters but tab and line feed. Bytes: length of the whole body as it was sent. */
export const PingBody = Type.Object({ text: Type.String({ maxLength: 100_000 }), bytes: Type.Integer({ minimum: 0 }) })
export type PingBody = Static<typeof PingBody>

/**
 * `stored`: the ping is an Observation. `counted`: too many pings in this minute, and this one would change nothing. `ignored`: it is stored
 * and changes nothing, because the Resource takes no such ping. `refused`: more than a minute may store; nothing was stored.
 */
export interface PingTaken {
  taken: 'stored' | 'counted' | 'ignored' | 'refused'
}

/**
 * Takes one ping at the keeper's present instant. Errors: not_found if the Resource has no such scheduled signal, invalid_state if it is
 * archived.
 */
export const Ping = command<PingTaken>()('ping', {
  signal: SignalName,
  /** What the address says. The words of a Template may say something else. */
  action: Type.Enum([...pingActions]),
  exitStatus: Nullable(Type.Integer({ minimum: 0, maximum: 255 })),
  /** Id of the run, which its start and its end share; null: none was sent. */
  run: Nullable(Uuid),
  method: Type.String({ minLength: 1, maxLength: 16 }),
  /** User agent; empty: none was sent. */
  agent: Type.String({ maxLength: 200 }),
  /** Address of the sender; empty: not known. */
  from: Type.String({ maxLength: 64 }),
  body: Nullable(PingBody),
  /** What the sender says itself: duration in seconds, and a reason. Null and empty: the keeper measures, and reads the body. */
  value: Nullable(Type.Number()),
  reason: Type.String({ maxLength: 200 }),
})

/**
 * The body of one of the newest pings that had one. id: `pingBodyId(subject, signal key, place)`. Of a signal there are so many places that
 * new bodies replace the oldest, and one for the newest failure.
 */
export interface PingBodyDocument extends Stored, PingBody {
  subjectId: string
  /** Row of the ping: an id of `pushedObservations`. */
  rowId: string
}
