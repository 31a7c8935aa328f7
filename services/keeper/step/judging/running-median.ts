// Median of the numbers that one signal has reported since an instant, updated when numbers are added and removed. The median is exact: the
// distinct numbers around it are kept with their counts, and all other numbers are only counted. Owns no row and reads no store.
import type { Baseline } from '#shared/contracts/observations/heard-signal.ts'
import { limits } from '#shared/limits/limits.ts'

const { medianValues, numbersLeaving } = limits.keeper

interface Counted {
  values: number[]
  counts: number[]
}

/** Instants of rows in ascending order, µs, and the number of the row at each instant; null: the row has no number. */
export interface NumbersAt {
  instantsUs: readonly number[]
  values: readonly (number | null)[]
}

export class RunningMedian {
  /** Length of the baseline, days. */
  readonly days: number
  /** Start of the counted numbers, µs. */
  #fromUs: number
  /** End of the counted numbers, µs, exclusive. */
  #endUs: number
  #below = 0
  #above = 0
  /** Numbers around the median, in order and complete: every counted number between the first and the last is included. */
  #inside: Counted
  /** The oldest counted numbers with their instants, µs. The next number to be removed is the first. */
  #leaving: { instantsUs: number[]; values: number[] } = { instantsUs: [], values: [] }
  /** End of the counted numbers that `#leaving` contains, µs. */
  #knownToUs: number
  /** True once a number that was added or removed could not be counted: the median is then unknown. */
  #isLost = false

  /** `values` must be all numbers since `fromUs`, with their instants in order. */
  constructor(days: number, fromUs: number, { instantsUs, values }: { instantsUs: Float64Array; values: Float64Array }) {
    this.days = days
    this.#fromUs = fromUs
    this.#knownToUs = fromUs
    this.#endUs = Math.max(fromUs, (instantsUs.at(-1) ?? fromUs - 1) + 1)
    this.#inside = counted(values.slice().sort())
    this.#narrow()
    const oldest = numbersLeaving + 1
    this.learnLeaving({ instantsUs: [...instantsUs.subarray(0, oldest)], values: [...values.subarray(0, oldest)] })
  }

  get fromUs(): number {
    return this.#fromUs
  }

  /** Returns the instant (µs) from which numbers must be read before the median can begin at `fromUs`; null: no read is needed. */
  learnFromUs(fromUs: number): number | null {
    return this.#knownToUs < Math.min(fromUs, this.#endUs) ? this.#knownToUs : null
  }

  /** Takes the oldest rows from the instant that `learnFromUs` returned: `numbersLeaving` + 1 rows, or fewer if no further row exists. */
  learnLeaving({ instantsUs, values }: NumbersAt): void {
    const last = instantsUs.length <= numbersLeaving ? undefined : instantsUs.at(-1)
    this.#knownToUs = Math.min(last ?? this.#endUs, this.#endUs)
    for (const [i, atUs] of instantsUs.entries()) {
      const value = values[i] ?? null
      if (atUs >= this.#knownToUs || value === null) continue
      this.#leaving.instantsUs.push(atUs)
      this.#leaving.values.push(value)
    }
  }

  /**
   * Returns the baseline of an Observation at `newestUs` (µs) whose row is not stored yet. The baseline's days begin at `fromUs`. Null: the
   * median is not known here, so all numbers of the baseline must be read.
   */
  baselineOf(fromUs: number, newestUs: number): Baseline | null {
    if (fromUs < this.#fromUs || newestUs < this.#endUs || this.learnFromUs(fromUs) !== null) return null
    this.#leave(fromUs)
    const samples = this.#below + this.#above + sum(this.#inside.counts)
    if (this.#isLost || samples > limits.intake.baselineNumbers) return null
    if (samples === 0) return { samples, median: null }
    const upper = this.#at(samples >> 1)
    const lower = this.#at((samples - 1) >> 1)
    if (upper === null || lower === null) return null
    return { samples, median: samples % 2 === 1 ? upper : (lower + upper) / 2 }
  }

  /** Counts the number of a new row; null: the row has no number. Returns false if the row may replace a counted row. */
  add(atUs: number, value: number | null): boolean {
    if (atUs < this.#endUs) return false
    this.#endUs = atUs + 1
    if (value !== null) this.#count(value, 1)
    if (this.#inside.values.length > 2 * medianValues) this.#narrow()
    return true
  }

  #leave(fromUs: number): void {
    this.#fromUs = fromUs
    const { instantsUs, values } = this.#leaving
    const left = instantsUs.findIndex(atUs => atUs >= fromUs)
    const count = left < 0 ? instantsUs.length : left
    for (const value of values.slice(0, count)) this.#count(value, -1)
    instantsUs.splice(0, count)
    values.splice(0, count)
  }

  #count(value: number, change: 1 | -1): void {
    const { values, counts } = this.#inside
    const place = placeOf(value, values)
    const isFirst = this.#below + this.#above === 0 && values.length === 0
    if (!isFirst && values.length === 0) this.#isLost = true
    else if (!isFirst && place === 0 && value < (values[0] as number)) this.#below += change
    else if (!isFirst && place === values.length) this.#above += change
    else if (values[place] === value) this.#countInside(place, change)
    else if (change < 0) this.#isLost = true
    else {
      values.splice(place, 0, value)
      counts.splice(place, 0, change)
    }
  }

  #countInside(place: number, change: 1 | -1): void {
    const { values, counts } = this.#inside
    counts[place] = (counts[place] as number) + change
    if (counts[place] !== 0) return
    values.splice(place, 1)
    counts.splice(place, 1)
  }

  /** Returns the number at this rank, counted from 0 for the smallest; null: the number is not kept. */
  #at(rank: number): number | null {
    let left = rank - this.#below
    if (left < 0) return null
    for (const [place, count] of this.#inside.counts.entries()) {
      if (left < count) return this.#inside.values[place] as number
      left -= count
    }
    return null
  }

  /** Keeps only the few distinct numbers around the median. */
  #narrow(): void {
    const { values, counts } = this.#inside
    const middle = (this.#below + this.#above + sum(counts)) >> 1
    let place = 0
    for (let before = this.#below; place < counts.length; place++) {
      before += counts[place] as number
      if (before > middle) break
    }
    const first = Math.max(0, place - (medianValues >> 1))
    const end = first + medianValues
    this.#below += sum(counts.slice(0, first))
    this.#above += sum(counts.slice(end))
    this.#inside = { values: values.slice(first, end), counts: counts.slice(first, end) }
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)

function counted(sorted: Float64Array): Counted {
  const values: number[] = []
  const counts: number[] = []
  for (const value of sorted) {
    if (values.at(-1) === value) counts[counts.length - 1] = (counts.at(-1) as number) + 1
    else {
      values.push(value)
      counts.push(1)
    }
  }
  return { values, counts }
}

/** Returns the first index whose value is `value` or more. */
function placeOf(value: number, values: readonly number[]): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
