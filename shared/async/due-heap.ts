// Binary heap of due instants, earliest first. Each item stores its own index, so that no search is needed to move or remove the item.

/** An item that becomes due repeatedly. Only the heap writes `dueAt` and `place`. */
export interface Due {
  /** Instant at which the item is due next, ms since the epoch on the clock of the heap's owner. */
  dueAt: number
  /** Index in the heap; -1: not in a heap. */
  place: number
}

/** Inserts, moves and removes an item in O(log n), with about 16 comparisons among 50,000 items. An item may be in only one heap. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  first(): T | undefined {
    return this.#items[0]
  }

  /** Inserts an item, or moves it to its new instant. */
  put(item: T, dueAt: number): void {
    const earlier = item.place < 0 || dueAt < item.dueAt
    item.dueAt = dueAt
    if (item.place < 0) item.place = this.#items.push(item) - 1
    if (earlier) this.#rise(item)
    else this.#sink(item)
  }

  remove(item: T): void {
    const place = item.place
    if (place < 0) return
    item.place = -1
    const last = this.#items.pop() as T
    if (last === item) return
    this.#items[place] = last
    last.place = place
    this.#rise(last)
    this.#sink(last)
  }

  #rise(item: T): void {
    let place = item.place
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above] as T
      if (parent.dueAt <= item.dueAt) break
      this.#set(place, parent)
      place = above
    }
    this.#set(place, item)
  }

  #sink(item: T): void {
    let place = item.place
    for (;;) {
      let below = 2 * place + 1
      if (below >= this.#items.length) break
      if (below + 1 < this.#items.length && (this.#items[below + 1] as T).dueAt < (this.#items[below] as T).dueAt) below++
      const child = this.#items[below] as T
      if (child.dueAt >= item.dueAt) break
      this.#set(place, child)
      place = below
    }
    this.#set(place, item)
  }

  #set(place: number, item: T): void {
    this.#items[place] = item
    item.place = place
  }
}
