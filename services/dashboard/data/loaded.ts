// Data that a page reads: its value, the failure of the read, and a function that reads again. An older response never replaces a newer
// one.
import { type ReadonlySignal, signal } from '@preact/signals'

export interface Loaded<T> {
  /** Value of the read; null until the first response. The value stays during a reload. */
  value: ReadonlySignal<T | null>
  /** Failure of the latest read; null: no failure. */
  failure: ReadonlySignal<unknown>
  /** Reads again. Never rejects. */
  reload(): Promise<void>
  /** Changes the shown value. The next read replaces the change. */
  patch(change: (value: T) => T): void
}

/** Returns data that `reload` reads by `load`. `first`: value to show before the first read; null: no value is known yet. */
export function createLoaded<T>(load: () => Promise<T>, first: T | null = null): Loaded<T> {
  const value = signal(first)
  const failure = signal<unknown>(null)
  let latest = 0
  return {
    value,
    failure,
    reload: async () => {
      latest += 1
      const mine = latest
      try {
        const answer = await load()
        if (mine !== latest) return
        value.value = answer
        failure.value = null
      } catch (error) {
        if (mine === latest) failure.value = error
      }
    },
    patch: change => {
      if (value.value !== null) value.value = change(value.value)
    },
  }
}
