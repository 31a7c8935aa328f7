// Outages that follow each other within a minute. A sender that has not reported since the first of them began may have lost a report in each,
// so its silence is held back longer than that of others (ADR 22). Pure.
import type { MissedOutages } from '#shared/contracts/observations/silence.ts'
import { limits } from '#shared/limits/limits.ts'

const { silenceHoldOffMaxMs, rejoinedMs } = limits.keeper

/**
 * Returns what is remembered after an outage of `lostMs`. `heldAt`: the instant up to which silence counts in the hold after it. If none was
 * remembered before, the silence of no sender is held back longer than that of others.
 */
export function afterOutage(missed: MissedOutages | null, lostMs: number, heldAt: number): MissedOutages {
  if (missed === null) return { sinceMs: lostMs, firstMs: lostMs, count: 1, leftMs: 0, heldAt }
  const sinceMs = missed.sinceMs + lostMs
  const leftMs = Math.min(silenceHoldOffMaxMs, sinceMs, rejoinedMs + lostMs)
  const { firstMs, count } = missed
  return { sinceMs, firstMs, count: count + 1, leftMs, heldAt: missed.leftMs > 0 ? missed.heldAt : heldAt }
}

/** Returns what is remembered after a time of `passedMs` in which reports were accepted; null: nothing. */
export function afterHearing(missed: MissedOutages, passedMs: number): MissedOutages | null {
  const sinceMs = missed.sinceMs + passedMs
  const leftMs = Math.max(0, missed.leftMs - passedMs)
  return leftMs > 0 || sinceMs <= rejoinedMs ? { ...missed, sinceMs, leftMs } : null
}

/** Returns whether the silence of senders that have not reported since the first outage is held back. */
export const isHeldLonger = (missed: MissedOutages | null): missed is MissedOutages => missed !== null && missed.leftMs > 0
