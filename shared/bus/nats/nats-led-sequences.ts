// Last sequences of streams, from those that ask a stream's leader to the readers of the stream.

/** Called with the last sequence of a stream whenever its leader has told it. */
export type LedListener = (lastSequence: number) => void

/** Tells the readers of one connection the last sequences that the leaders of streams in a cluster tell. */
export class LedSequences {
  readonly #listeners = new Map<string, Set<LedListener>>()

  tell(stream: string, lastSequence: number): void {
    for (const listener of [...(this.#listeners.get(stream) ?? [])]) listener(lastSequence)
  }

  /** Returns a function that ends the calls. */
  follow(stream: string, listener: LedListener): () => void {
    const listeners = this.#listeners.get(stream) ?? new Set()
    this.#listeners.set(stream, listeners.add(listener))
    return () => void listeners.delete(listener)
  }
}
