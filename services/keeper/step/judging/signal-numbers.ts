// Numbers that one signal has reported, in the order of their instants, for baselines. Owns no row and reads no store.
import type { Baseline } from '#shared/contracts/observations/heard-signal.ts'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { limits } from '#shared/limits/limits.ts'
import { parsePushedObservationId } from '#shared/text/ids.ts'
import { RunningMedian } from './running-median.ts'

/** Numbers with their instants, µs, the oldest first. Numbers of the same instant are in any order. */
export interface NumbersInOrder {
  /** Returns the baseline of the numbers with `fromUs` <= instant < `toUs`, at most the newest `limits.intake.baselineNumbers`. */
  baseline(fromUs: number, toUs: number): Baseline
  copy(): SignalNumbers
  /** Records a change of a pushed Observation's row: its number was `before` and is `now`; null: the row has no number. */
  note(rowId: string, before: number | null, now: number | null): void
}

/**
 * One array for all medians. An array of this size lies outside the heap: a new array for each report would cause a full garbage collection
 * after a few hundred reports.
 */
const sortable = new Float64Array(limits.intake.baselineNumbers)

/** Number of free items that are added when the lists are full. */
const room = 64

/** Numbers of which only one baseline is known. The store computed it, for a round that needs only this baseline. */
export class KnownBaseline implements NumbersInOrder {
  readonly #fromUs: number
  readonly #toUs: number
  readonly #baseline: Baseline

  constructor(fromUs: number, toUs: number, baseline: Baseline) {
    this.#fromUs = fromUs
    this.#toUs = toUs
    this.#baseline = baseline
  }

  baseline(fromUs: number, toUs: number): Baseline {
    if (fromUs !== this.#fromUs || toUs !== this.#toUs) throw new Error('numbers were not read')
    return this.#baseline
  }

  copy(): SignalNumbers {
    throw new Error('numbers were not read')
  }

  /** Does nothing: a report does not count in its own baseline, and the round has no other report. */
  note(): void {}
}

export class SignalNumbers implements NumbersInOrder {
  #instantsUs: Float64Array
  #values: Float64Array
  #length: number

  /** Takes the instants of the numbers, in ascending order, and the numbers. The object owns the two lists from then on. */
  constructor(instantsUs: Float64Array = new Float64Array(), values: Float64Array = new Float64Array()) {
    this.#instantsUs = instantsUs
    this.#values = values
    this.#length = values.length
  }

  copy(): SignalNumbers {
    return new SignalNumbers(this.#instantsUs.slice(0, this.#length), this.#values.slice(0, this.#length))
  }

  baseline(fromUs: number, toUs: number): Baseline {
    const found = this.between(fromUs, toUs, limits.intake.baselineNumbers)
    sortable.set(found)
    return baselineOf(sortable.subarray(0, found.length))
  }

  /** Returns the median of all numbers since `fromUs`; null: further numbers may exist that are not in memory. */
  running(days: number, fromUs: number): RunningMedian | null {
    if (this.#length >= limits.intake.baselineNumbers) return null
    const instantsUs = this.#instantsUs.subarray(0, this.#length)
    return new RunningMedian(days, fromUs, { instantsUs, values: this.#values.subarray(0, this.#length) })
  }

  /** Returns the numbers with `fromUs` <= instant < `toUs`, at most the newest `limit`, as a view that is valid until the next change. */
  between(fromUs: number, toUs: number, limit: number): Float64Array {
    const end = this.#placeOf(toUs)
    return this.#values.subarray(Math.max(Math.min(end, this.#placeOf(fromUs)), end - limit), end)
  }

  note(rowId: string, before: number | null, now: number | null): void {
    if (before === now) return
    const atUs = parsePushedObservationId(rowId).observedAtUs
    let place = this.#placeOf(atUs)
    if (before !== null) {
      while (this.#hasAt(place, atUs) && this.#values[place] !== before) place++
      if (this.#hasAt(place, atUs)) this.#remove(place)
    }
    if (now !== null) this.#insert(this.#placeOf(atUs), atUs, now)
  }

  #hasAt(place: number, atUs: number): boolean {
    return place < this.#length && this.#instantsUs[place] === atUs
  }

  #remove(place: number): void {
    this.#instantsUs.copyWithin(place, place + 1, this.#length)
    this.#values.copyWithin(place, place + 1, this.#length)
    this.#length--
  }

  #insert(place: number, atUs: number, value: number): void {
    if (this.#length === this.#values.length) {
      this.#instantsUs = withRoom(this.#instantsUs)
      this.#values = withRoom(this.#values)
    }
    this.#instantsUs.copyWithin(place + 1, place, this.#length)
    this.#values.copyWithin(place + 1, place, this.#length)
    this.#instantsUs[place] = atUs
    this.#values[place] = value
    this.#length++
  }

  /** Returns the first index whose instant is `atUs` or later. */
  #placeOf(atUs: number): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#instantsUs[middle] as number) < atUs) low = middle + 1
      else high = middle
    }
    return low
  }
}

function withRoom(list: Float64Array): Float64Array {
  const wider = new Float64Array(list.length + room)
  wider.set(list)
  return wider
}
