// Memory of a subject's reports: the newest report of each series, and the instant of each signal's newest row. The memory saves a read of
// the store for each report. It is removed together with its subject. No other writer changes the remembered rows and series.
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import { limits } from '#shared/limits/limits.ts'
import type { RunningMedian } from '../step/judging/running-median.ts'
import type { NewestReport } from '../step/types.ts'

export class ReportMemory {
  readonly #series = new Map<string, NewestReport & Pick<SeriesDocument, 'expireAt'>>()
  /** Instant of the newest row of each signal, µs, by signal key. */
  readonly #newestUs = new Map<string, number>()
  /** Running medians by signal key; null until the first median, because few subjects have any. */
  #medians: Map<string, RunningMedian> | null = null

  /** Returns the newest report of a series; null: unknown, or the series has expired. */
  series(id: string, now: number): NewestReport | null {
    const known = this.#series.get(id)
    return known !== undefined && known.expireAt > now ? known : null
  }

  /** Returns true if the store may have a row of the signal at this instant. */
  mayHold(signalKey: string, observedAtUs: number): boolean {
    return observedAtUs <= (this.#newestUs.get(signalKey) ?? Number.POSITIVE_INFINITY)
  }

  knows(signalKey: string): boolean {
    return this.#newestUs.has(signalKey)
  }

  /** Records the newest stored row of a signal; null: the signal has no row. */
  learn(signalKey: string, newestUs: number | null): void {
    this.#newestUs.set(signalKey, newestUs ?? Number.NEGATIVE_INFINITY)
  }

  /** Returns the median of the signal's stored numbers; null: unknown. */
  median(signalKey: string): RunningMedian | null {
    return this.#medians?.get(signalKey) ?? null
  }

  /** Stores a median. Only the latest few medians are kept. */
  keepMedian(signalKey: string, median: RunningMedian | null): void {
    this.#medians ??= new Map()
    if (this.#medians.size >= limits.keeper.mediansInMemory && !this.#medians.has(signalKey)) this.#medians.clear()
    if (median === null) this.#medians.delete(signalKey)
    else this.#medians.set(signalKey, median)
  }

  /** Records a row that was written. */
  noteRow(signalKey: string, observedAtUs: number, value: number | null): void {
    if (this.median(signalKey)?.add(observedAtUs, value) === false) this.keepMedian(signalKey, null)
    const known = this.#newestUs.get(signalKey)
    if (known !== undefined && known < observedAtUs) this.#newestUs.set(signalKey, observedAtUs)
  }

  /** Records a series that was written. Only the latest few series are kept. */
  noteSeries({ id, rev, observedAtUs, expireAt }: SeriesDocument): void {
    if (this.#series.size >= limits.keeper.seriesInMemory && !this.#series.has(id)) this.#series.clear()
    this.#series.set(id, { rev, observedAtUs, expireAt })
  }
}
