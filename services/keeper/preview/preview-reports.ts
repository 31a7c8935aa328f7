// Observations of a preview. The steps of the preview read these like stored Observations, and they expire like stored ones.
import type {
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import { limits } from '#shared/limits/limits.ts'
import { pushedPrefix } from '#shared/text/ids.ts'
import { SignalNumbers } from '../step/judging/signal-numbers.ts'
import type { NewestReport, Step, StoredReports } from '../step/types.ts'

export class PreviewReports implements StoredReports {
  /** Present simulated instant, ms. Rows that have expired by then are no longer returned. */
  now = 0
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly #places = new Map<string, ObservationIdDocument>()
  /** Numbers of each signal, by the prefix of its rows' ids. */
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
    return place !== null && place.atUs > (this.now - limits.retention.pushedMs) * 1_000 ? place : null
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

  /** Returns no rows, because a preview has no rebind. */
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
