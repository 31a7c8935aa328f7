// What a subject remembers of a scheduled signal beside its readings. Reference: docs/reference/v3.md, 4.17.
export interface ScheduleState {
  /** What it expects, in words that change with it, and the grace, ms: both as the Resource answered them last. */
  timing: string
  graceMs: number
  /** Instant of the newest end, µs; null: no run has ended. */
  endedAtUs: number | null
  /** Exit status of the newest end; null: none was sent. */
  exitStatus: number | null
  /** The newest success. `seconds`: how long it took; null: not known. Null: none yet. */
  success: { atUs: number; seconds: number | null } | null
  /** Instant at which the next run is expected, ms. Computed once, because zones differ between machines. Null: none is expected. */
  expectedAt: number | null
  /** A run that has started and not ended. `graceFrom`: instant from which its grace counts, ms. Null: none runs. */
  running: { atUs: number; run: string | null; graceFrom: number } | null
  /** Pings stored in one minute. `startsAt`: its start, ms; `newestAt`: the newest stored ping, ms. */
  pings: { startsAt: number; stored: number; newestAt: number }
  /** Bodies stored so far. */
  bodies: number
}
