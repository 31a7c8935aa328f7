// Bounds of pings on scheduled signals. Reference: docs/reference/v3.md, section 17.
export const pingLimits = {
  /** Pings of one signal and minute that are stored whatever they say. After them, one that changes nothing is only counted. */
  storedPerMinute: 60,
  /** Stored pings of one signal and minute after which further ones are refused. */
  refusedPerMinute: 600,
  /** Newest bodies that are kept of a signal. */
  bodiesKept: 20,
  reasonCharacters: 200,
}
