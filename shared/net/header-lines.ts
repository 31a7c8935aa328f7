// Header lines that people state for a request: `Name: value`. Pure.

export interface Header {
  name: string
  value: string
}

/** Names that the request states itself, or that would change how it is framed. */
const reserved = /^(content-length|transfer-encoding|connection|upgrade|expect|te|trailer|proxy-.*)$/i

const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~]*)$/

/** Returns the header of a line; null: the line has another form or a name that frames the request. */
export function headerOf(text: string): Header | null {
  const [, name, value] = line.exec(text) ?? []
  return name === undefined || value === undefined || reserved.test(name) ? null : { name, value: value.trimEnd() }
}

/** Returns the lines of a text that are not empty. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/).filter(each => each !== '')

/** Returns the headers of lines that have the form of headers. */
export const headersOf = (lines: readonly string[]): Header[] => lines.flatMap(each => headerOf(each) ?? [])

export const isNamed =
  (name: string) =>
  (header: Header): boolean =>
    header.name.toLowerCase() === name
