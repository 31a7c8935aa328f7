// Seeded randomness for the simulation: the same seed gives the same numbers on every machine (sfc32).

export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  /** Streams of one seed with different names are independent: more draws from one stream change no other stream. */
  constructor(seed: number, stream: string) {
    this.#a = seed | 0
    this.#b = [...stream].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5)
    this.#c = 0x9e3779b9
    this.#d = 1
    for (let round = 0; round < 16; round++) this.next()
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return (sum >>> 0) / 4_294_967_296
  }

  /** Returns a whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T
  }

  /** Returns a text of `length` letters and digits. */
  id(length: number): string {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    return Array.from({ length }, () => digits[this.integer(0, 61)]).join('')
  }
}
