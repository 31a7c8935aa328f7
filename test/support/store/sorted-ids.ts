// Sorted ids (code point order) with cheap insertion and cheap range reads: new ids are sorted at the next read.

/** Up to this many new ids are inserted one by one; more are merged by one sort. */
const fewIds = 64

export class SortedIds {
  #sorted: string[] = []
  #waiting: string[] = []

  /** Adds an id that must not be present yet. */
  add(id: string): void {
    this.#waiting.push(id)
  }

  remove(id: string): void {
    this.#settle()
    const at = this.#firstAtOrAfter(id)
    if (this.#sorted[at] === id) this.#sorted.splice(at, 1)
  }

  /** Returns the ids with from <= id < to; an absent bound is no limit. */
  between(from?: string, to?: string): string[] {
    this.#settle()
    const start = from === undefined ? 0 : this.#firstAtOrAfter(from)
    return this.#sorted.slice(start, to === undefined ? undefined : Math.max(start, this.#firstAtOrAfter(to)))
  }

  #settle(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    if (waiting.length > fewIds) this.#sorted = this.#sorted.concat(waiting).sort(compareText)
    else for (const id of waiting) this.#sorted.splice(this.#firstAtOrAfter(id), 0, id)
  }

  #firstAtOrAfter(id: string): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareText(this.#sorted[middle] as string, id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Compares by code point, like the database engines. UTF-16 order differs for characters beyond the first plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  for (let i = 0; ; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    if (Number.isNaN(left) || Number.isNaN(right)) return a.length - b.length
    return codeOrder(left) - codeOrder(right)
  }
}

const codeOrder = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
