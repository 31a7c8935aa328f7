// Measurement of the bus's clock.
import type { ClockOffset } from '#shared/bus/port.ts'
import type { Clock } from '#shared/time/clock.ts'

const probes = 5

/**
 * Returns the offset that the fastest of several round trips measured, because the fastest is the most exact. `ask` returns a time, which
 * may be wrong by `errorMs`.
 */
export async function measureOffset(
  { monotonic }: Pick<Clock, 'monotonic'>,
  now: () => number,
  ask: () => Promise<{ at: number; errorMs: number }>,
): Promise<ClockOffset> {
  let best: ClockOffset = { roundTripMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let probe = 0; probe < probes; probe++) {
    const askedAt = now()
    const started = monotonic()
    const { at, errorMs } = await ask()
    const tookMs = monotonic() - started
    const roundTripMs = tookMs + 2 * errorMs
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, aheadMs: at - (askedAt + tookMs / 2) }
  }
  return best
}
