// What a keeper remembers of a subject's reports, so that it need not ask the store at each of them: where its series stand, and up to which
// instant there may be rows. It leaves the memory with its subject, and stays true meanwhile: nobody else writes its rows and series.
import type { SeriesDocument } from '#shared/contracts/observation.ts'
import { limits } from '#shared/limits.ts'
import type { NewestReport } from './step/types.ts'

export class ReportMemory {
  readonly #series = new Map<string, NewestReport & Pick<SeriesDocument, 'expireAt'>>()
  /** By signal key, µs: no row of the signal was observed later. */
  readonly #newestUs = new Map<string, number>()

  /** Where a series stands; null: not known, or about to expire. */
  series(id: string, now: number): NewestReport | null {
    const known = this.#series.get(id)
    return known !== undefined && known.expireAt > now ? known : null
  }

  /** Whether a row of the signal may be stored that was observed at this instant. */
  mayHold(signalKey: string, observedAtUs: number): boolean {
    return observedAtUs <= (this.#newestUs.get(signalKey) ?? Number.POSITIVE_INFINITY)
  }

  knows(signalKey: string): boolean {
    return this.#newestUs.has(signalKey)
  }

  /** The newest row of a signal as it is stored; null: there is none. */
  learn(signalKey: string, newestUs: number | null): void {
    this.#newestUs.set(signalKey, newestUs ?? Number.NEGATIVE_INFINITY)
  }

  /** A row that was written. */
  noteRow(signalKey: string, observedAtUs: number): void {
    const known = this.#newestUs.get(signalKey)
    if (known !== undefined && known < observedAtUs) this.#newestUs.set(signalKey, observedAtUs)
  }

  /** A series as it was written. Of more than a few only the latest are known. */
  noteSeries({ id, rev, observedAtUs, expireAt }: SeriesDocument): void {
    if (this.#series.size >= limits.keeper.seriesInMemory && !this.#series.has(id)) this.#series.clear()
    this.#series.set(id, { rev, observedAtUs, expireAt })
  }
}
