// The earliest of many due instants: a binary heap of ids. An id may stand in it more than once; whoever takes one looks up
// what is true now, so a moved deadline costs one more entry instead of a search.

export interface Due {
  id: string
  at: number
}

export class DueHeap {
  readonly #items: Due[] = []

  get size(): number {
    return this.#items.length
  }

  /** The earliest instant; null when empty. */
  peekAt(): number | null {
    return this.#items[0]?.at ?? null
  }

  push(id: string, at: number): void {
    const items = this.#items
    let i = items.length
    items.push({ id, at })
    while (i > 0) {
      const parent = (i - 1) >> 1
      if ((items[parent] as Due).at <= at) break
      items[i] = items[parent] as Due
      i = parent
    }
    items[i] = { id, at }
  }

  /** Removes and returns the earliest; null when empty. */
  pop(): Due | null {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (first === undefined || last === undefined) return null
    if (items.length > 0) this.#sink(last)
    return first
  }

  #sink(item: Due): void {
    const items = this.#items
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= items.length) break
      if (child + 1 < items.length && (items[child + 1] as Due).at < (items[child] as Due).at) child++
      if ((items[child] as Due).at >= item.at) break
      items[i] = items[child] as Due
      i = child
    }
    items[i] = item
  }
}
