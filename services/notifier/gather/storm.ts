// Count of the messages to one destination: the first of a minute go out alone, and in a storm all others are gathered (v3 10.19). Pure.
// Instants in ms since the epoch.
import { limits } from '#shared/limits/limits.ts'

const { alone: aloneMost, windowMs } = limits.notifier.digest

export class Storm {
  /** Instants of the messages that went out alone, in the last minute, the earliest first. */
  #alone: number[]
  #isOn: boolean
  #lastAt: number

  /** `alone`, `isOn`, `lastAt`: what is known of the last minute. */
  constructor({ alone = [], isOn = false, lastAt = Number.NEGATIVE_INFINITY }: Partial<StormSeen> = {}) {
    this.#alone = [...alone].sort((one, other) => one - other)
    this.#isOn = isOn
    this.#lastAt = lastAt
  }

  /** Returns whether a minute has passed without a message. */
  isOver(at: number): boolean {
    return at - this.#lastAt >= windowMs
  }

  /** Counts a message. Returns whether it goes out alone. `mustWait`: it follows others that were gathered. */
  admits(at: number, mustWait: boolean): boolean {
    if (this.isOver(at)) this.#isOn = false
    this.#lastAt = Math.max(at, this.#lastAt)
    this.#alone = this.#alone.filter(instant => at - instant < windowMs)
    this.#isOn ||= mustWait || this.#alone.length >= aloneMost
    if (this.#isOn) return false
    this.#alone.push(at)
    return true
  }
}

export interface StormSeen {
  alone: readonly number[]
  /** Whether messages were gathered. */
  isOn: boolean
  lastAt: number
}
