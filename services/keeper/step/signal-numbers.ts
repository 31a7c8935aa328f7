// Numbers that one signal has reported, in the order of their instants, for baselines. Owns no row and reads no store.
import { parsePushedObservationId } from '#shared/ids.ts'

/** Numbers with their instants, µs, the oldest first; of one instant in any order. */
export interface NumbersInOrder {
  /** Those with `fromUs` <= instant < `toUs`, at most the newest `limit`: a view, good until the next change. */
  between(fromUs: number, toUs: number, limit: number): Float64Array
  copy(): SignalNumbers
}

/** Places made at once when the lists are full. */
const room = 64

export class SignalNumbers implements NumbersInOrder {
  #instantsUs: Float64Array
  #values: Float64Array
  #length: number

  /** Of each number its instant, in order; both lists become the object's own. */
  constructor(instantsUs: Float64Array = new Float64Array(), values: Float64Array = new Float64Array()) {
    this.#instantsUs = instantsUs
    this.#values = values
    this.#length = values.length
  }

  copy(): SignalNumbers {
    return new SignalNumbers(this.#instantsUs.slice(0, this.#length), this.#values.slice(0, this.#length))
  }

  between(fromUs: number, toUs: number, limit: number): Float64Array {
    const end = this.#placeOf(toUs)
    return this.#values.subarray(Math.max(Math.min(end, this.#placeOf(fromUs)), end - limit), end)
  }

  /** The row of a pushed Observation had the number `before` and has `now`; null: none. */
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

  /** The first place whose instant is `atUs` or later. */
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
