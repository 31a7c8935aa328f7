// Decision whether rounds look up senders' ids before they write them. Most ids are new: a round inserts them without a look-up, and looks
// them up only if an insert finds one stored. Repeated ids come in bursts, after an outage or from a sender that repeats everything.

import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export class SentIdReads {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** End of the time in which rounds read ids first, on the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  isOn(): boolean {
    return this.#clock.monotonic() < this.#until
  }

  /** Makes the next rounds look up ids first. Call it when an id was sent again. */
  begin(): void {
    this.#until = this.#clock.monotonic() + limits.intake.sentIdReadsMs
  }
}
