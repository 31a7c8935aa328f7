// Log lines about silence alerts that were held back: one line for each outage, not for each partition.
import type { ReportKind } from '#shared/contracts/observations/silence.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { Moment } from './silence.ts'

export type OutageReason = 'keeper' | 'bus' | 'store' | 'gateways'

export interface Outage {
  reason: OutageReason
  partition: number
  reports: ReportKind
  /** `offMs`: time in which no reports were accepted. `waitMs`: time for which silence is held back from now on. Both in ms. */
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
  /** The last logged outage: its end on the monotonic clock, and the instant up to which alerts wait. */
  #last = { endedAt: Number.NEGATIVE_INFINITY, releasedAt: 0 }

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Logs an outage that ended at `at`. */
  say(outage: Outage, at: Moment): void {
    const { reason, offMs, waitMs } = outage
    const isPartOfLast = at.monotonic - offMs < this.#last.endedAt
    if (isPartOfLast && at.now + waitMs <= this.#last.releasedAt + limits.keeper.silenceHoldOffMs) return
    this.#last = { endedAt: at.monotonic, releasedAt: at.now + waitMs }
    const sentence = `${said[reason]} for ${spoken(offMs)}: silence alerts wait ${spoken(waitMs)}.`
    this.#logger[reason === 'keeper' ? 'info' : 'warn']({ ...outage }, sentence)
  }
}

/** Returns a length of time in words: `25 s`, `1 h 5 min`. */
const spoken = (ms: number): string =>
  humanDuration(ms).replace(/(\d+)([a-z])/g, (_, amount, unit) => `${amount} ${unit === 'm' ? 'min' : unit}`)
