// A signal of a Template that probers check, as its Resource keeps it: with what judging and results need, and without the options, which
// are in the Template and in the answers.
/** Where a comparison of the signal must be true: at any location, at more than half, or at all of them. */
export const agreements = ['any', 'majority', 'all'] as const
export type Agreement = (typeof agreements)[number]

/** What a check watches, for people. Without secrets. */
export interface Shown {
  /** What is done, in one word, such as `GET`. */
  method: string
  /** To what it is done, such as an address without credentials. */
  target: string
  /** The target if it is an address that a person can open; else empty. */
  url: string
  /** Host of the target; null: it has none, or cannot be read. */
  host: string | null
}

export interface CheckedSignal {
  /** Key of the signal. */
  signal: string
  /** Key of the kind of check. */
  type: string
  /**
   * Suffix of the signal's sources. The Resource gives it to no other signal, also after a rebind, because stored rows have it. A signal
   * whose type changes gets another one.
   */
  suffix: string
  everySeconds: number
  /** Time for the first result of a location, ms. Meanwhile it is not known to be silent. */
  graceMs: number
  /** Ids of the locations. Empty: the Resource's Template has no such signal any longer. */
  locations: string[]
  agreement: Agreement
  /** What it watches, for people. */
  shown: Shown
}
