// Bound of a tool's result. A result that is too large loses parts of its largest lists, and says how many. Pure.
import { isObject } from '#shared/json-shape/is-object.ts'

/** Lists whose first entries are the oldest ones, which go first. All other lists lose their last entries. */
const oldestFirst = new Set(['history', 'path'])

/** Texts of at most so many characters stay whole. */
const keptCharacters = 200

/**
 * Returns `whole`, or a copy of at most `most` bytes of JSON. A list `name` that lost entries has a member `name_omitted` beside it, with
 * their number; an existing one is raised. An object that lost members has `members_omitted`. A text that was cut ends in `…`.
 */
export function boundedTo<T extends Record<string, unknown>>(whole: T, most: number): T {
  let excess = sizeOf(whole) - most
  if (excess <= 0) return whole
  const copy = structuredClone(whole)
  while (excess > 0 && shrink(copy, excess)) excess = sizeOf(copy) - most
  return copy
}

/** Cuts the largest part that can be cut, at most by half of it, so that several large parts all keep something. */
function shrink(object: Record<string, unknown>, excess: number): boolean {
  const largest = Object.entries(object)
    .map(([name, value]) => ({ name, value, size: sizeOf(value) }))
    .sort((one, other) => other.size - one.size)
  for (const { name, value, size } of largest) {
    const wanted = Math.min(excess, Math.ceil(size / 2))
    if (typeof value === 'string' && cutText(object, name, value, wanted)) return true
    if (Array.isArray(value) && cutList(object, name, value, wanted)) return true
    if (isObject(value) && shrink(value, wanted)) return true
  }
  return dropMember(object)
}

function cutText(object: Record<string, unknown>, name: string, text: string, wanted: number): boolean {
  const characters = [...text]
  if (characters.length <= keptCharacters + 1) return false
  const kept = Math.max(keptCharacters, characters.length - Math.max(wanted, 2))
  object[name] = `${characters.slice(0, kept).join('')}…`
  return true
}

function cutList(object: Record<string, unknown>, name: string, list: unknown[], wanted: number): boolean {
  const isOldestFirst = oldestFirst.has(name)
  let gone = 0
  for (let left = wanted; left > 0 && gone < list.length - 1; gone++)
    left -= sizeOf(isOldestFirst ? list[gone] : list.at(-1 - gone)) + 1
  if (gone > 0) {
    object[name] = isOldestFirst ? list.slice(gone) : list.slice(0, -gone)
    count(object, `${name}_omitted`, gone)
    return true
  }
  const [only] = list
  if (isObject(only) && shrink(only, wanted)) return true
  if (list.length === 0 || sizeOf(only) <= keptCharacters) return false
  object[name] = []
  count(object, `${name}_omitted`, 1)
  return true
}

/** Drops the last of many members, such as those of an Observation's body. An object of few members stays. */
function dropMember(object: Record<string, unknown>): boolean {
  const names = Object.keys(object).filter(name => !name.endsWith('_omitted'))
  const last = names.at(-1)
  if (last === undefined || names.length <= fewMembers) return false
  delete object[last]
  count(object, 'members_omitted', 1)
  return true
}

/** More members than any object of the API has of its own: an object with more was made by a sender. */
const fewMembers = 40

function count(object: Record<string, unknown>, name: string, gone: number): void {
  const before = object[name]
  object[name] = (typeof before === 'number' ? before : 0) + gone
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')
