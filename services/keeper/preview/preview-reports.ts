// Observations of a preview, found by the step as if they were stored. Kept as long as stored ones are.
import type { ObservationIdDocument, PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import { pushedPrefix } from '#shared/ids.ts'
import { SignalNumbers } from '../step/signal-numbers.ts'
import type { NewestReport, Step, StoredReports } from '../step/types.ts'

export class PreviewReports implements StoredReports {
  /** Ms: what has expired by now is gone. */
  now = 0
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly #places = new Map<string, ObservationIdDocument>()
  /** By what the ids of a signal's rows begin with. */
  readonly #numbers = new Map<string, SignalNumbers>()

  note({ pushed = [], places = [] }: Pick<Step, 'pushed' | 'places'>): void {
    for (const row of pushed) {
      const before = this.#rows.get(row.id)?.value ?? null
      this.#rows.set(row.id, row)
      for (const [prefix, numbers] of this.#numbers) if (row.id.startsWith(prefix)) numbers.note(row.id, before, row.value)
    }
    for (const place of places) this.#places.set(place.id, place)
  }

  place(key: string): ObservationIdDocument | null {
    const place = this.#places.get(key) ?? null
    return place !== null && place.expireAt > this.now ? place : null
  }

  pushed(id: string): PushedObservationDocument | null {
    return this.#rows.get(id) ?? null
  }

  numbers(subjectId: string, signalKey: string): SignalNumbers {
    const prefix = pushedPrefix(subjectId, signalKey)
    let numbers = this.#numbers.get(prefix)
    if (numbers === undefined) {
      numbers = new SignalNumbers()
      for (const { id, value } of this.#rows.values()) if (id.startsWith(prefix)) numbers.note(id, null, value)
      this.#numbers.set(prefix, numbers)
    }
    return numbers
  }

  /** Nothing is rebound. */
  newest(): readonly PushedObservationDocument[] {
    return []
  }

  series(): NewestReport | null {
    return null
  }

  seriesOf(): readonly SeriesDocument[] {
    return []
  }
}
