// Bounds of pings on scheduled signals, of their addresses and of ping keys. Reference: docs/reference/v3.md, section 17.
import { second } from '#shared/time/time-units.ts'

export const pingLimits = {
  /** Pings of one signal and minute that are stored whatever they say. After them, one that changes nothing is only counted. */
  storedPerMinute: 60,
  /** Stored pings of one signal and minute after which further ones are refused. */
  refusedPerMinute: 600,
  /** Newest bodies that are kept of a signal. */
  bodiesKept: 20,
  reasonCharacters: 200,
  /** Largest number of ping keys of a workspace: one for each kind of machine, and room to replace one. */
  keysPerWorkspace: 5,
  /** Number of random bytes in a ping key that the installation makes. */
  keyBytes: 16,
  /** Largest number of addresses of one Resource, also of signals that its Template no longer has. */
  addressesPerResource: 100,
  /**
   * Maximum of pings that one gateway has sent to keepers and that are not stored yet. A further ping is refused at once, so that its sender
   * tries again. This is room for 1,000 pings of the same second, and half as many again. It is less than `http.connections`, so that the
   * refused get their answer.
   */
  waiting: 1_500,
  /** Time within which a ping is stored, without the time that its sender takes to send the body. Some clients wait 5 s. */
  answerMs: 4 * second,
  /** Seconds after which a client tries again: a ping that nobody stored, and one beyond the number of pings that a minute stores. */
  retryAfterS: 2,
  refusedRetryAfterS: 60,
  /** Size of the largest body, bytes. Only its beginning is kept (PING_BODY_LIMIT). */
  bodyBytes: 16 * 1024 * 1024,
}
