// A fault in one part of a file that people write. Pure: browsers load this file too.

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

  toJSON() {
    const { file, place, at, fault } = this
    return { file, place, line: at?.line ?? null, column: at?.column ?? null, message: fault }
  }
}

const placeOf = ({ line, column }: Position): string => `${line}:${column}`

/** Returns the fault of a text with a syntax error. The fault's place is `line:column`. */
export const syntaxFault = (file: string, at: Position, fault: string): FileFault => new FileFault(file, placeOf(at), fault, at)
