// One file of configuration, YAML or JSON, as the objects in it. Every object knows its file and the line of each of its parts. Pure.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type YAMLError } from 'yaml'
import { limits } from '#shared/limits.ts'
import { clientLimits } from '#shared/limits-of-clients.ts'
import { FileFault } from '../cli/json-file.ts'
import { oneLine } from '../cli/printing.ts'

/** An object of a file. */
export interface Placed {
  value: Readonly<Record<string, unknown>>
  file: string
  /** Of the part at a dotted place, or of the nearest part around it; from 1. */
  lineOf(place: string): number
}

/** A fault in one part of an object: file, line and dotted place; an empty place is the object as a whole. */
export const faultAt = ({ file, lineOf }: Pick<Placed, 'file' | 'lineOf'>, place: string, message: string): FileFault =>
  new FileFault(file, String(lineOf(place)), oneLine(place === '' ? message : `${place}: ${message}`))

/**
 * The objects of a file: one a document, or each item of a list. Throws FileFault for what is no YAML 1.2 or has a tag of its own, for aliases
 * that repeat too much, and for values that JSON does not have.
 */
export function readObjects(file: string, text: string): Placed[] {
  const lines = new LineCounter()
  const documents = parse(file, text, lines)
  return documents.flatMap(document => objectsOf(document, file, lines))
}

function parse(file: string, text: string, lineCounter: LineCounter): Document.Parsed[] {
  try {
    const options = { schema: 'core', resolveKnownTags: false, prettyErrors: false, lineCounter } as const
    return [...parseAllDocuments(text, options)]
  } catch (error) {
    if (error instanceof RangeError) throw new FileFault(file, '', tooDeep)
    throw error
  }
}

function objectsOf(document: Document.Parsed, file: string, lines: LineCounter): Placed[] {
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw new FileFault(file, String(lines.linePos(fault.pos[0]).line), sentenceOf(fault))
  const root = document.contents
  const lineOf = (place: string) => lineAt(document, lines, place)
  const whole = { file, lineOf }
  const value = plainValue(document, whole)
  // A document of comments alone.
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

/** Throws for nesting beyond what the API takes, which an alias inside its own anchor is too, and for `.inf` and `.nan`. */
function requirePlain(value: unknown, path: string[], whole: Pick<Placed, 'file' | 'lineOf'>): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw faultAt(whole, path.join('.'), 'it must be a finite number')
  if (typeof value !== 'object' || value === null) return
  if (path.length >= limits.http.jsonDepth) throw faultAt(whole, path.slice(0, 1).join('.'), tooDeep)
  for (const [name, member] of Object.entries(value)) requirePlain(member, [...path, name], whole)
}

const tooDeep = `it is nested deeper than ${limits.http.jsonDepth} levels`

/** The parser's message without its own notes and examples. */
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

/** The beginning of a member, which is its key, and its value; undefined: there is no such member. */
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
