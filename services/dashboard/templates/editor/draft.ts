// Draft of a Template: any JSON object. Its values are read and changed by dotted places such as `rules.0.wait.confirm_after`, which
// refusals use too. Pure.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'

export type Draft = Readonly<Record<string, unknown>>

const partsOf = (place: string): string[] => (place === '' ? [] : place.split('.'))

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberOf = (value: unknown, part: string): unknown =>
  Array.isArray(value) ? value[Number(part)] : isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined

/** Returns the value at a place of the draft; undefined: the place has no value. */
export const valueAt = (draft: unknown, place: string): unknown => partsOf(place).reduce(memberOf, draft)

/** Returns the items of the list at a place of the draft; empty: there is no list. */
export function itemsAt(draft: unknown, place: string): readonly unknown[] {
  const found = valueAt(draft, place)
  return Array.isArray(found) ? found : []
}

/** Returns the value at a place as the text of an input. A value that is neither a text nor a number becomes an empty text. */
export const textAt = (draft: unknown, place: string): string => {
  const found = valueAt(draft, place)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}

/** Returns the draft with another value at the place. The value undefined removes the member. Creates missing parent objects. */
export function withValue(draft: Draft, place: string, value: unknown): Draft {
  return changed(draft, partsOf(place), value) as Draft
}

function changed(whole: unknown, [part, ...rest]: readonly string[], value: unknown): unknown {
  if (part === undefined) return value
  const inside = changed(memberOf(whole, part), rest, value)
  if (Array.isArray(whole)) return whole.map((item, i) => (i === Number(part) ? inside : item))
  const { [part]: _, ...others } = isObject(whole) ? whole : {}
  if (inside === undefined) return others
  // An existing member keeps its position in the order of members.
  return isObject(whole) && Object.hasOwn(whole, part) ? { ...whole, [part]: inside } : { ...others, [part]: inside }
}

export const withItem = (draft: Draft, place: string, item: unknown): Draft =>
  withValue(draft, place, [...itemsAt(draft, place), item])

/** Returns the draft without the item at `index` of the list. If `isOptional` is true, removes a list that becomes empty. */
export function withoutItem(draft: Draft, list: string, index: number, isOptional = false): Draft {
  const left = itemsAt(draft, list).filter((_, i) => i !== index)
  return withValue(draft, list, left.length === 0 && isOptional ? undefined : left)
}

/**
 * Returns the place `named` if `places` contains it. Otherwise returns the nearest parent of `named` that `places` contains; null: `places`
 * contains no parent.
 */
export function nearestPlace(named: string, places: ReadonlySet<string>): string | null {
  const parts = partsOf(named)
  for (let length = parts.length; length > 0; length--) {
    const around = parts.slice(0, length).join('.')
    if (places.has(around)) return around
  }
  return null
}

/** Returns the typed text as a number. Returns a text that is no number unchanged, and the server refuses it with a reason. */
export const numberOr = (text: string): number | string =>
  text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)

export const emptyRule = (signal: string) => ({
  key: '',
  action: '',
  wait: { confirm_after: 300, recover_after: 60 },
  decision: { signal, field: 'status', operator: 'eq', operand: 'problem' },
})

/** Returns a first draft of a new Template. Its rule decides `problem` if a job reports a problem or is silent. */
export const emptyDraft = (): Draft => ({
  key: '',
  version: 1,
  name: '',
  signals: [{ key: 'report', kind: 'heartbeat', every_seconds: 60 }],
  rules: [
    {
      ...emptyRule('report'),
      key: 'failing',
      decision: {
        any: [
          { signal: 'report', field: 'status', operator: 'eq', operand: 'problem' },
          { not: { signal: 'report', field: 'known' } },
        ],
      },
    },
  ],
})

/** Returns a draft for the next version of a published Template. The draft names destinations by their names, not by ids. */
export const nextDraft = (
  template: SentTemplate,
  version: number,
  destinations: readonly { id: string; name: string }[],
): Draft => ({ ...manifestOf(template, destinations), version })

export const jsonOf = (draft: Draft): string => JSON.stringify(draft, null, 2)

/** Parses the JSON text of a draft. If the text is no JSON object, throws an Error whose message is a sentence. */
export function draftOfJson(text: string): Draft {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error('A Template is a JSON object')
  return value
}
