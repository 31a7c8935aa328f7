// Reader of JSON files that people write. Errors name line and column.
import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { limits } from '#shared/limits/limits.ts'
import { parseJson } from '../../../services/gateway/body/json-body.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'

/** Throws StartError `notFound` if there is no such file, and FileFault for invalid JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJsonText(file, await readText(file))
}

/** Parses the text of the file as JSON. Throws FileFault. */
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
    if (error instanceof FileFault) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new StartError(`There is no file ${file}.`, exitCodes.notFound)
    throw new StartError(`The file ${file} can't be read (${code}).`)
  }
}

/** Returns the offset of the first invalid character. Some messages of V8 contain this offset. */
function faultIn(text: string, { message }: SyntaxError): number {
  const named = /at position (\d+)/.exec(message)?.[1]
  if (named !== undefined) return Number(named)
  if (!isUnexpectedToken(text)) return text.length
  // A binary search finds the longest beginning without that token. It parses about 20 beginnings.
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

/** Returns line and column, both starting at 1. */
function lineAndColumn(text: string, offset: number): [line: number, column: number] {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return [before.length, [...(before.at(-1) ?? '')].length + 1]
}

/** Returns V8's message without the place and the quotation at its end. */
const withoutPlace = (message: string): string =>
  message.replace(/ (?:in JSON )?at position.*$/s, '').replace(/, (?:\.\.\.)?".*is not valid JSON$/s, '')
