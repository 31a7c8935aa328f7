// Parser of one configuration file, YAML or JSON. The result is the list of its objects, each with the file's name and the position of
// every member in the file. Pure.

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLError,
} from 'yaml'
import { isObject } from '#shared/json-shape/is-object.ts'
import { limits } from '#shared/limits/limits.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { FileFault, type Position, syntaxFault } from './file-fault.ts'

export interface PlacedObject {
  value: Readonly<Record<string, unknown>>
  file: string
  /** Returns the position of the member at a dotted path. If there is no such member, returns the position of its nearest parent. */
  positionOf(place: string): Position
}

/** Returns a fault in one member of an object. An empty path means the whole object. */
export const faultAt = (
  { value, file, positionOf }: Omit<PlacedObject, 'value'> & Partial<PlacedObject>,
  place: string,
  message: string,
): FileFault =>
  new FileFault(file, oneLine(place), oneLine(message), positionOf(place), value === undefined ? null : nameOf(value))

/** Returns a name such as `Resource backup-db1`; null: the object has neither key nor name. */
function nameOf({ kind, key, name, subject }: PlacedObject['value']): string | null {
  const own = [key, subject, name].find(one => typeof one === 'string')
  return typeof kind === 'string' && typeof own === 'string' ? oneLine(`${kind} ${own}`) : null
}

/** Nouns for messages about faults. */
export interface ReadingOptions {
  /** Noun that messages use for one object of the file. */
  noun?: string
  /** Noun that messages use for the content of the file. */
  content?: string
}

/** A document of a file: one object, or a list of objects. */
export interface PlacedDocument {
  isList: boolean
  objects: PlacedObject[]
}

/** Returns the objects of all documents of a file. Throws the errors of `readDocuments`. */
export const readObjects = (file: string, text: string, options?: ReadingOptions): PlacedObject[] =>
  readDocuments(file, text, options).flatMap(({ objects }) => objects)

/**
 * Returns the documents of a file. Documents that contain only comments or `null` are left out. Throws FileFault for invalid YAML 1.2, tags
 * outside the core schema, too many expanded aliases, and values that JSON lacks.
 */
export function readDocuments(
  file: string,
  text: string,
  { noun = 'an object with a kind', content = `${noun}, or a list of such` }: ReadingOptions = {},
): PlacedDocument[] {
  const lines = new LineCounter()
  return parse(file, text, lines).flatMap((document): PlacedDocument[] => {
    const positionOf = (place: string) => positionIn(document, lines, place)
    const [fault] = [...document.errors, ...document.warnings]
    if (fault !== undefined) throw syntaxFault(file, positionAt(lines, fault.pos[0]), sentenceOf(fault))
    const whole = { file, positionOf }
    const value = plainValue(document, whole, lines)
    if (value === null) return []
    requirePlain(value, [], whole)
    if (isObject(value)) return [{ isList: false, objects: [{ value, ...whole }] }]
    if (!Array.isArray(value)) throw faultAt(whole, '', `it must be ${content}`)
    return [{ isList: true, objects: value.map((item, i) => itemOf(item, i, whole, noun)) }]
  })
}

function itemOf(value: unknown, i: number, { file, positionOf }: Omit<PlacedObject, 'value'>, noun: string): PlacedObject {
  const item = { file, positionOf: (place: string) => positionOf(place === '' ? String(i) : `${i}.${place}`) }
  if (isObject(value)) return { value, ...item }
  throw faultAt(item, '', `it must be ${noun}`)
}

function parse(file: string, text: string, lines: LineCounter): Document.Parsed[] {
  try {
    const composer = new Composer({
      schema: 'core',
      merge: true,
      resolveKnownTags: false,
      prettyErrors: false,
      lineCounter: lines,
    })
    return [...composer.compose(shallowOnes(file, new Parser(lines.addNewLine).parse(text), lines))]
  } catch (error) {
    if (error instanceof RangeError) throw new FileFault(file, '', tooDeep)
    throw error
  }
}

/**
 * Yields the tokens, and throws for nesting deeper than the API accepts. The composer and all code after it are recursive: on a text that is
 * nested far too deep, the composer would report the words of the exhausted stack as a fault of the text.
 */
function* shallowOnes(file: string, tokens: Iterable<CST.Token>, lines: LineCounter): Generator<CST.Token> {
  for (const token of tokens) {
    const tooDeepAt = token.type === 'document' ? offsetBelow(token.value, limits.http.jsonDepth) : null
    if (tooDeepAt !== null) throw syntaxFault(file, positionAt(lines, tooDeepAt), tooDeep)
    yield token
  }
}

/** Returns the offset of the first collection that lies in `depth` others; null: there is none. Not recursive. */
function offsetBelow(contents: CST.Token | undefined, depth: number): number | null {
  const open: { token: CST.Token | null | undefined; outer: number }[] = [{ token: contents, outer: 0 }]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { token, outer } = one
    if (token == null || !('items' in token)) continue
    if (outer >= depth) return token.offset
    for (const { key, value } of token.items.toReversed()) {
      open.push({ token: value, outer: outer + 1 }, { token: key, outer: outer + 1 })
    }
  }
  return null
}

function plainValue(document: Document.Parsed, whole: Omit<PlacedObject, 'value'>, lines: LineCounter): unknown {
  try {
    return document.toJS({ maxAliasCount: limits.configuration.aliases })
  } catch (error) {
    if (error instanceof RangeError) throw faultAt(whole, '', tooDeep)
    if (error instanceof ReferenceError) {
      const [name, place] = undefinedAlias(document) ?? []
      if (place !== undefined)
        throw syntaxFault(whole.file, positionAt(lines, place), `the alias *${name} has no anchor &${name} before it`)
      throw faultAt(whole, '', 'its aliases repeat too much, or one stands inside its own anchor')
    }
    // The parser's only other error: a merge key with another value.
    if (error instanceof Error) throw faultAt(whole, '', 'a merge key << takes an object, or a list of objects')
    throw error
  }
}

/** Returns name and offset of the first alias without an anchor before it; null: there is none. */
function undefinedAlias(document: Document.Parsed): [name: string, offset: number] | null {
  let found: [string, number] | null = null
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined
      found = [oneLine(alias.source), alias.range?.[0] ?? 0]
      return visit.BREAK
    },
  })
  return found
}

/**
 * Throws for nesting deeper than the API accepts. An alias inside its own anchor is nested without end, so the function throws for it too.
 * Throws also for `.inf` and `.nan`.
 */
function requirePlain(value: unknown, path: string[], whole: Omit<PlacedObject, 'value'>): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw faultAt(whole, path.join('.'), 'it must be a finite number')
  if (typeof value !== 'object' || value === null) return
  if (path.length >= limits.http.jsonDepth) throw faultAt(whole, path.slice(0, 1).join('.'), tooDeep)
  for (const [name, member] of Object.entries(value)) requirePlain(member, [...path, name], whole)
}

const tooDeep = `it is nested deeper than ${limits.http.jsonDepth} levels`

/** Returns the first line of the parser's message; further lines contain notes and examples. */
const sentenceOf = ({ message }: YAMLError): string => oneLine(message.split('\n', 1)[0] ?? message)

function positionIn(document: Document.Parsed, lines: LineCounter, place: string): Position {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? document.range[0]
  for (const part of place === '' ? [] : place.split('.')) {
    if (isAlias(node)) node = node.resolve(document) ?? null
    const [key, next] = stepInto(node, part)
    if (key === undefined) break
    offset = key?.range?.[0] ?? offset
    node = next
  }
  return positionAt(lines, offset)
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col: column } = lines.linePos(offset)
  return { line, column }
}

/**
 * Returns two nodes of a member: the node of its key, at which the member starts, and the node of its value. The first node is undefined if
 * there is no such member.
 */
function stepInto(node: Node | null, part: string): [at: Node | null | undefined, value: Node | null] {
  if (isSeq(node)) {
    const item = node.items[Number(part)] as Node | undefined
    return [item, item ?? null]
  }
  if (!isMap(node)) return [undefined, null]
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
  return pair === undefined ? [undefined, null] : [pair.key as Node, pair.value as Node | null]
}
