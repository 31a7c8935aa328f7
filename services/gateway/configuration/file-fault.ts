// A fault in one part of a file that people write. Pure: browsers load this file too.

export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly file: string
  /** Place of the fault: `line:column`, a line, or a dotted path; empty: the whole file. */
  readonly place: string
  readonly fault: string
  /** Object with the fault, such as `Template nightly`; null: the fault belongs to no single object. */
  readonly object: string | null

  constructor(file: string, place: string, fault: string, object: string | null = null) {
    super(place === '' ? `${file}: ${fault}` : `${file}:${place}: ${fault}`)
    this.file = file
    this.place = place
    this.fault = fault
    this.object = object
  }

  toJSON() {
    return { file: this.file, place: this.place, message: this.fault }
  }
}
