// One configuration file, YAML or JSON, as the objects in the file. Each object knows its file and the line of each of its members. Pure.
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLError,
} from 'yaml'
import { limits } from '#shared/limits/limits.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { FileFault } from './file-fault.ts'

/** An object of a file. */
export interface Placed {
  value: Readonly<Record<string, unknown>>
  file: string
  /** Returns the line of the member at a dotted path, or of its nearest parent. The first line is 1. */
  lineOf(place: string): number
}

/** Returns a fault in one member of an object: file, line and dotted path. An empty path means the whole object. */
export const faultAt = (
  { value, file, lineOf }: Pick<Placed, 'file' | 'lineOf'> & Partial<Placed>,
  place: string,
  message: string,
): FileFault => {
  const fault = oneLine(place === '' ? message : `${place}: ${message}`)
  return new FileFault(file, String(lineOf(place)), fault, value === undefined ? null : nameOf(value))
}

/** Returns a name such as `Resource backup-db1`; null: the object has neither key nor name. */
function nameOf({ kind, key, name, subject }: Placed['value']): string | null {
  const own = [key, subject, name].find(one => typeof one === 'string')
  return typeof kind === 'string' && typeof own === 'string' ? oneLine(`${kind} ${own}`) : null
}

/**
 * Returns the objects of a file: one for each document, or one for each item of a list. Throws FileFault for invalid YAML 1.2, own tags,
 * too many expanded aliases, and values outside JSON. `onRead` is called after each further hundredth of the text.
 */
export function readObjects(file: string, text: string, onRead: (share: number) => void = () => {}): Placed[] {
  const lines = new LineCounter()
  const documents = parse(file, text, { lines, onRead })
  return documents.flatMap(document => objectsOf(document, file, lines))
}

interface Reading {
  lines: LineCounter
  onRead(share: number): void
}

function parse(file: string, text: string, reading: Reading): Document.Parsed[] {
  try {
    const composer = new Composer({ schema: 'core', resolveKnownTags: false, prettyErrors: false, lineCounter: reading.lines })
    return [...composer.compose(tokensOf(text, reading))]
  } catch (error) {
    if (error instanceof RangeError) throw new FileFault(file, '', tooDeep)
    throw error
  }
}

/** Like the parser's own `parse`, but reports progress. */
function* tokensOf(text: string, { lines, onRead }: Reading): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let next = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.offset < next) continue
    onRead(parser.offset / text.length)
    next = parser.offset + text.length / 100
  }
  yield* parser.end()
}

function objectsOf(document: Document.Parsed, file: string, lines: LineCounter): Placed[] {
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw new FileFault(file, String(lines.linePos(fault.pos[0]).line), sentenceOf(fault))
  const root = document.contents
  const lineOf = (place: string) => lineAt(document, lines, place)
  const whole = { file, lineOf }
  const value = plainValue(document, whole)
  // A document that contains only comments.
  if (value === null) return []
  requirePlain(value, [], whole)
  if (isObject(value)) return [{ value, file, lineOf }]
  if (!Array.isArray(value) || !isSeq(root)) throw faultAt(whole, '', 'it must be an object with a kind, or a list of such')
  return value.map((item, i) => {
    const itemLine = (place: string) => lineOf(place === '' ? String(i) : `${i}.${place}`)
    if (isObject(item)) return { value: item, file, lineOf: itemLine }
    throw new FileFault(file, String(itemLine('')), 'it must be an object with a kind')
  })
}

function plainValue(document: Document.Parsed, whole: Pick<Placed, 'file' | 'lineOf'>): unknown {
  try {
    return document.toJS({ maxAliasCount: clientLimits.configurationAliases })
  } catch (error) {
    if (error instanceof RangeError) throw faultAt(whole, '', tooDeep)
    if (error instanceof ReferenceError)
      throw faultAt(whole, '', 'its aliases repeat too much, or one stands inside its own anchor')
    throw error
  }
}

/** Throws for nesting deeper than the API accepts, which includes an alias inside its own anchor. Throws also for `.inf` and `.nan`. */
function requirePlain(value: unknown, path: string[], whole: Pick<Placed, 'file' | 'lineOf'>): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw faultAt(whole, path.join('.'), 'it must be a finite number')
  if (typeof value !== 'object' || value === null) return
  if (path.length >= limits.http.jsonDepth) throw faultAt(whole, path.slice(0, 1).join('.'), tooDeep)
  for (const [name, member] of Object.entries(value)) requirePlain(member, [...path, name], whole)
}

const tooDeep = `it is nested deeper than ${limits.http.jsonDepth} levels`

/** Returns the parser's message without its notes and examples. */
const sentenceOf = ({ message }: YAMLError): string => oneLine(message.split('\n', 1)[0] ?? message)

function lineAt(document: Document.Parsed, lines: LineCounter, place: string): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? document.range[0]
  for (const part of place === '' ? [] : place.split('.')) {
    if (isAlias(node)) node = node.resolve(document) ?? null
    const [key, next] = stepInto(node, part)
    if (key === undefined) break
    offset = key?.range?.[0] ?? offset
    node = next
  }
  return lines.linePos(offset).line
}

/** Returns the node at the start of a member (its key), and its value. Undefined: there is no such member. */
function stepInto(node: Node | null, part: string): [at: Node | null | undefined, value: Node | null] {
  if (isSeq(node)) {
    const item = node.items[Number(part)] as Node | undefined
    return [item, item ?? null]
  }
  if (!isMap(node)) return [undefined, null]
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
  return pair === undefined ? [undefined, null] : [pair.key as Node, pair.value as Node | null]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
