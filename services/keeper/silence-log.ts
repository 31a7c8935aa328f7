// Says in the log that silence alerts wait, and why: once an outage, not once for each partition.
import type { ReportKind } from '#shared/contracts/silence.ts'
import { humanDuration } from '#shared/durations.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Moment } from './silence.ts'

/** The reason why reports were not taken. */
export type OutageReason = 'keeper' | 'bus' | 'store' | 'gateways'

export interface Outage {
  reason: OutageReason
  partition: number
  reports: ReportKind
  /** How long reports were not taken, and how long silence is held back from now on, ms. */
  offMs: number
  waitMs: number
}

const said: Record<OutageReason, string> = {
  keeper: 'Watchkeeper was off',
  bus: 'The bus did not bring reports',
  store: 'Reports could not be stored',
  gateways: 'No gateway was heard of',
}

export class SilenceLog {
  readonly #logger: Logger
  /** Of the outage that was said last: when it ended on the monotonic clock, and until when alerts wait. */
  #last = { endedAt: Number.NEGATIVE_INFINITY, releasedAt: 0 }

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** An outage has ended at `at`. */
  say(outage: Outage, at: Moment): void {
    const { reason, offMs, waitMs } = outage
    const isPartOfLast = at.monotonic - offMs < this.#last.endedAt
    if (isPartOfLast && at.now + waitMs <= this.#last.releasedAt + limits.keeper.silenceHoldOffMs) return
    this.#last = { endedAt: at.monotonic, releasedAt: at.now + waitMs }
    const sentence = `${said[reason]} for ${spoken(offMs)}: silence alerts wait ${spoken(waitMs)}.`
    this.#logger[reason === 'keeper' ? 'info' : 'warn']({ ...outage }, sentence)
  }
}

/** `25 s`, `1 h 5 min`. */
const spoken = (ms: number): string =>
  humanDuration(ms).replace(/(\d+)([a-z])/g, (_, amount, unit) => `${amount} ${unit === 'm' ? 'min' : unit}`)
