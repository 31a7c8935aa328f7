// Decides whether a round looks up the ids that senders gave their reports. Most ids are new, so a round inserts them without a look-up. If
// an id turns out to be stored already, then for a while rounds look up ids before they insert them. Repeated ids come in bursts, for
// example after an outage.

import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export class SentIdReads {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Instant on the monotonic clock until which rounds look up ids before they insert them. */
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  isOn(): boolean {
    return this.#clock.monotonic() < this.#until
  }

  /** Makes rounds look up ids before they insert them, for a limited time. Call it when an id was sent again. */
  begin(): void {
    this.#until = this.#clock.monotonic() + limits.intake.sentIdReadsMs
  }
}
