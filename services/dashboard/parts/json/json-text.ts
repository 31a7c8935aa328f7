// Reads a JSON text and says where in the text a fault is. Pure. Browsers differ in how they word the faults of `JSON.parse`, and not all of
// them say where a fault is.

import { Refusal } from '../../data/api.ts'

/** A place in a text. `line` and `column` begin at 1, `at` at 0. */
export interface Place {
  line: number
  column: number
  at: number
}

/** A fault of a text as a sentence; `place` null: the sentence is about the whole text. */
export interface Fault {
  place: Place | null
  sentence: string
}

/** Returns the value of a JSON text, or the first fault of the text. */
export function readJson(text: string): { value: unknown } | { fault: Fault } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const found = scan(text)
    return { fault: found instanceof Stop ? asFault(text, found) : { place: null, sentence: 'This is no JSON.' } }
  }
}

/** Returns the value of the JSON text that the field of a form holds. Throws a Refusal of this field if the text is no JSON. */
export function jsonIn(text: string, field: string): unknown {
  const read = readJson(text)
  if ('fault' in read) throw new Refusal(422, 'syntax', read.fault.sentence, field)
  return read.value
}

/**
 * Returns the fault of the text of `field` that a failure names; null: the failure is about something else. The field itself may stand at the
 * beginning of the named path.
 */
export function refusedFault(text: string, field: string, failure: unknown): Fault | null {
  if (!(failure instanceof Refusal) || failure.field === null) return null
  const path = failure.field === field ? '' : failure.field
  return faultOf(text, path.startsWith(`${field}.`) ? path.slice(field.length + 1) : path, failure.message)
}

/**
 * Returns the fault of the member that `path` names, as in `inputs[0].mode` or `inputs.0.mode`, with the sentence about it. If the text has
 * no such member, the place is that of the nearest member around it. A text that is no JSON has its own fault.
 */
export function faultOf(text: string, path: string, sentence: string): Fault {
  const places = scan(text)
  if (places instanceof Stop) return asFault(text, places)
  // A sentence begins with a capital letter, but a path is written as it is.
  const isFirst = path !== '' && sentence.toLowerCase().startsWith(path.toLowerCase())
  const words = isFirst ? path + sentence.slice(path.length) : sentence
  const parts = path.split(/[.[\]]+/).filter(part => part !== '')
  for (let length = parts.length; length > 0; length--) {
    const at = places.get(`.${parts.slice(0, length).join('.')}`)
    if (at === undefined) continue
    const place = placeAt(text, at)
    return { place, sentence: `Line ${place.line}: ${words}` }
  }
  return { place: null, sentence: words }
}

function asFault(text: string, { at, words }: Stop): Fault {
  const place = placeAt(text, at)
  return { place, sentence: `Line ${place.line}, column ${place.column}: ${words}.` }
}

function placeAt(text: string, at: number): Place {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, at }
}

const blanks = /[ \t\r\n]*/y
const strings = /"(?:[^"\\\n\r]|\\.)*"/y
const scalars = /(?:-?\d[\d.eE+-]*|true|false|null)(?!\w)/y
const anything = /"[^"\n]{0,20}"?|[\w.+-]{1,20}|./sy
/** As many levels as the API reads. */
const deepest = 64

const aValue = 'a value'

class Stop {
  readonly at: number
  readonly words: string
  constructor(at: number, words: string) {
    this.at = at
    this.words = words
  }
}

/** Returns the offset of each member by its path, such as `.inputs.0.mode`, or the first fault. */
function scan(text: string): ReadonlyMap<string, number> | Stop {
  const places = new Map<string, number>()
  let at = 0
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0] ?? null
  }
  const take = (sign: RegExp | string): boolean => {
    at += match(blanks)?.length ?? 0
    const found = typeof sign === 'string' ? (text.startsWith(sign, at) ? sign : null) : match(sign)
    if (found === null || !isJson(found, sign)) return false
    at += found.length
    return true
  }
  const missing = (what: string): Stop => {
    const next = match(anything)
    if (next === null) return new Stop(at, `the text ends, and ${what} is missing`)
    return new Stop(
      at,
      what === aValue && !/[,:}\]]/.test(next) ? `${next} is no JSON value` : `${what} is missing before ${next}`,
    )
  }
  const list = (end: string, item: (index: number) => void) => {
    if (take(end)) return
    for (let index = 0; ; index++) {
      item(index)
      if (take(end)) return
      const comma = at
      if (!take(',')) throw missing(`a comma or ${end}`)
      if (take(end)) throw new Stop(comma, `the comma before ${end} is one too many`)
    }
  }
  const value = (path: string, depth: number): void => {
    if (depth > deepest) throw new Stop(at, `this is nested deeper than ${deepest} levels`)
    if (take('{')) list('}', () => member(path, depth))
    else if (take('[')) {
      list(']', index => {
        take('')
        places.set(`${path}.${index}`, at)
        value(`${path}.${index}`, depth + 1)
      })
    } else if (!take(strings) && !take(scalars)) throw missing(aValue)
  }
  const member = (path: string, depth: number) => {
    take('')
    const start = at
    if (!take(strings)) throw missing('a name in double quotes')
    const name = `${path}.${JSON.parse(text.slice(start, at))}`
    places.set(name, start)
    if (!take(':')) throw missing('a colon')
    value(name, depth + 1)
  }
  try {
    value('', 1)
    take('')
    return at < text.length ? new Stop(at, `the text goes on after its end, with ${match(anything)}`) : places
  } catch (stop) {
    if (stop instanceof Stop) return stop
    throw stop
  }
}

/** A string may have a wrong escape, and a number may have a wrong form. */
function isJson(found: string, sign: RegExp | string): boolean {
  if (typeof sign === 'string') return true
  try {
    JSON.parse(found)
    return true
  } catch {
    return false
  }
}
