// A fault in one part of a file that people write, and the collection of all faults. Pure.

/** A position in a file. Lines and columns are counted from 1. */
export interface Position {
  line: number
  column: number
}

export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly file: string
  /** Dotted path of the faulty member, or `line:column` of a syntax error. Empty: the fault concerns a whole object or the whole file. */
  readonly place: string
  readonly fault: string
  /** Sentence about the fault. In the error's message it stands after the dotted path. */
  readonly sentence: string
  /** Position of `place` in the file; null: the fault concerns the whole file. */
  readonly at: Position | null
  /** Object with the fault, such as `Template nightly`; null: the fault belongs to no single object. */
  readonly object: string | null
  /** Value that the files lack, and the variable that gives it; null: another fault. */
  missing: MissingValue | null = null
  /** Further faults, found at the same time. */
  others: readonly FileFault[] = []

  constructor(file: string, place: string, fault: string, at: Position | null = null, object: string | null = null) {
    const isSyntax = at !== null && place === placeOf(at)
    const sentence = place === '' || isSyntax ? fault : `${place}: ${fault}`
    super(`${[file, isSyntax ? place : at?.line].filter(part => part !== undefined).join(':')}: ${sentence}`)
    this.file = file
    this.place = place
    this.fault = fault
    this.sentence = sentence
    this.at = at
    this.object = object
  }

  /** Returns the fault as one that a variable can mend. */
  mendedBy(missing: MissingValue): this {
    this.missing = missing
    return this
  }

  toJSON() {
    const { file, place, at, fault } = this
    return { file, place, line: at?.line ?? null, column: at?.column ?? null, message: fault }
  }
}

/** A value that comes from a variable. */
export interface MissingValue {
  variable: string
  /** What the value is, in words, such as `URL of On call`. */
  value: string
}

export interface Faults {
  /** Reads every item, and keeps the faults. Returns the results of the items without a fault. */
  each<T, R>(items: Iterable<T>, read: (item: T) => R): R[]
  /** Throws the first fault, which has all others. */
  settle(): void
}

/** Faults kept at most: more help nobody, and each repeats the file's name. */
const faultsMost = 100

export function createFaults(): Faults {
  const found: FileFault[] = []
  return {
    each: (items, read) => {
      const results = []
      for (const item of items) {
        try {
          results.push(read(item))
        } catch (error) {
          if (!(error instanceof FileFault)) throw error
          found.push(error, ...error.others)
        }
      }
      return results
    },
    settle: () => {
      const [first, ...others] = found
      if (first === undefined) return
      first.others = others.slice(0, faultsMost - 1)
      throw first
    },
  }
}

const placeOf = ({ line, column }: Position): string => `${line}:${column}`

/** Returns the fault of a text with a syntax error. The fault's place is `line:column`. */
export const syntaxFault = (file: string, at: Position, fault: string): FileFault => new FileFault(file, placeOf(at), fault, at)
