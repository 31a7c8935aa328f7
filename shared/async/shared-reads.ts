// Reads of several callers, answered by one reading. While a reading runs, further keys wait for the next one, so that many callers who ask
// for one thing each cost about two readings. A reading begins after the request, so it never returns what was true before.

export interface SharedReadsOptions<K, V> {
  /** Reads all keys at once. Returns a value for each key, in any order. */
  readAll(keys: readonly K[]): Promise<ReadonlyMap<K, V>>
  /** True if the error may come from one of several keys. Each key is then read alone, so that one fault does not stop the others. */
  isOfOne?(error: unknown): boolean
}

export class SharedReads<K, V> {
  readonly #options: SharedReadsOptions<K, V>
  /** Keys for the next reading. */
  #waiting = new Map<K, PromiseWithResolvers<V>>()
  #isReading = false

  constructor(options: SharedReadsOptions<K, V>) {
    this.#options = options
  }

  /** Resolves to the value of a key. Rejects with the error of its reading. */
  read(key: K): Promise<V> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<V>()
    this.#waiting.set(key, waiting)
    if (!this.#isReading) {
      this.#isReading = true
      // Callers of the same turn of the event loop join the reading.
      void Promise.resolve().then(this.#readOn)
    }
    return waiting.promise
  }

  #readOn = async (): Promise<void> => {
    while (this.#waiting.size > 0) {
      const waiting = this.#waiting
      this.#waiting = new Map()
      await this.#answer(waiting)
    }
    this.#isReading = false
  }

  async #answer(waiting: ReadonlyMap<K, PromiseWithResolvers<V>>): Promise<void> {
    try {
      const found = await this.#options.readAll([...waiting.keys()])
      for (const [key, { resolve }] of waiting) resolve(found.get(key) as V)
    } catch (error) {
      const isOfOne = waiting.size > 1 && this.#options.isOfOne?.(error) === true
      if (isOfOne) await Promise.all([...waiting].map(one => this.#answer(new Map([one]))))
      else for (const { reject } of waiting.values()) reject(error)
    }
  }
}
