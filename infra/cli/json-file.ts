// JSON files that people write: a fault is told with its line and column.
import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { limits } from '#shared/limits.ts'
import { parseJson } from '../../services/gateway/json-body.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'

/** A fault in a file. `place`: `line:column`, or a dotted place; empty: the file as a whole. */
export class FileFault extends StartError {
  readonly file: string
  readonly place: string
  readonly fault: string

  constructor(file: string, place: string, fault: string) {
    super(place === '' ? `${file}: ${fault}` : `${file}:${place}: ${fault}`, exitCodes.refused)
    this.file = file
    this.place = place
    this.fault = fault
  }

  toJSON() {
    return { file: this.file, place: this.place, message: this.fault }
  }
}

/** Throws StartError `notFound` if there is no such file, and FileFault for what is no JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJsonText(file, await readText(file))
}

/** The text of the file as JSON. Throws FileFault. */
export function parseJsonText(file: string, text: string): unknown {
  try {
    JSON.parse(text)
  } catch (error) {
    const [line, column] = lineAndColumn(text, faultIn(text, error as SyntaxError))
    throw new FileFault(file, `${line}:${column}`, withoutPlace((error as SyntaxError).message))
  }
  try {
    return parseJson(text)
  } catch {
    throw new FileFault(file, '', `it is nested deeper than ${limits.http.jsonDepth} levels`)
  }
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > limits.http.bodyBytes) throw new FileFault(file, '', `it has more than ${limits.http.bodyBytes} bytes`)
    const bytes = await readFile(file)
    if (isUtf8(bytes)) return bytes.toString('utf8')
    throw new FileFault(file, '', 'it is not UTF-8')
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new StartError(`There is no file ${file}.`, exitCodes.notFound)
    throw new StartError(`The file ${file} can't be read (${code}).`)
  }
}

/** The offset of the first character that cannot be JSON. V8 names it in some of its messages. */
function faultIn(text: string, { message }: SyntaxError): number {
  const named = /at position (\d+)/.exec(message)?.[1]
  if (named !== undefined) return Number(named)
  if (!isUnexpectedToken(text)) return text.length
  // The longest beginning without that token is found by halves: each beginning is parsed, about 20 of them.
  let [good, bad] = [0, text.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isUnexpectedToken(text.slice(0, middle))) bad = middle
    else good = middle
  }
  return bad - 1
}

function isUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return (error as SyntaxError).message.startsWith('Unexpected token')
  }
}

/** Both from 1. */
function lineAndColumn(text: string, offset: number): [line: number, column: number] {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return [before.length, [...(before.at(-1) ?? '')].length + 1]
}

/** The message of V8 without the place and the quotation at its end. */
const withoutPlace = (message: string): string =>
  message.replace(/ (?:in JSON )?at position.*$/s, '').replace(/, (?:\.\.\.)?".*is not valid JSON$/s, '')
