// A Template that is being written: any JSON object, read and changed by dotted places as refusals name them (`rules.0.wait.confirm_after`). Pure.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'

export type Draft = Readonly<Record<string, unknown>>

const partsOf = (place: string): string[] => (place === '' ? [] : place.split('.'))

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberOf = (value: unknown, part: string): unknown =>
  Array.isArray(value) ? value[Number(part)] : isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined

/** Returns the value at the place; undefined: there is none. */
export const valueAt = (draft: unknown, place: string): unknown => partsOf(place).reduce(memberOf, draft)

/** Returns the items of the list at the place; empty: there is no list. */
export function itemsAt(draft: unknown, place: string): readonly unknown[] {
  const found = valueAt(draft, place)
  return Array.isArray(found) ? found : []
}

/** Returns the text of a value for an input: digits for a number; empty for a value that is neither text nor number. */
export const textAt = (draft: unknown, place: string): string => {
  const found = valueAt(draft, place)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}

/** Returns the draft with another value at the place; undefined removes the member. Missing parent objects are created. */
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

/** Returns the draft without the item at `index` of the list. With `isOptional`, a list that becomes empty is removed. */
export function withoutItem(draft: Draft, list: string, index: number, isOptional = false): Draft {
  const left = itemsAt(draft, list).filter((_, i) => i !== index)
  return withValue(draft, list, left.length === 0 && isOptional ? undefined : left)
}

/** Returns the place of a refusal, or the nearest of its parents, that is in `places`; null: none of them is. */
export function nearestPlace(named: string, places: ReadonlySet<string>): string | null {
  const parts = partsOf(named)
  for (let length = parts.length; length > 0; length--) {
    const around = parts.slice(0, length).join('.')
    if (places.has(around)) return around
  }
  return null
}

/** Returns a number if the text is one, else the typed text, which the server refuses with a reason. */
export const numberOr = (text: string): number | string =>
  text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)

export const emptyRule = (signal: string) => ({
  key: '',
  action: '',
  wait: { confirm_after: 300, recover_after: 60 },
  decision: { signal, field: 'status', operator: 'eq', operand: 'problem' },
})

/** Returns the start of a new Template: a job's rule that decides problem if the job reports a problem or is silent. */
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

/** The next version of a published Template, with destinations by name. */
export const nextDraft = (
  template: SentTemplate,
  version: number,
  destinations: readonly { id: string; name: string }[],
): Draft => ({ ...manifestOf(template, destinations), version })

/** JSON as people read it. */
export const jsonOf = (draft: Draft): string => JSON.stringify(draft, null, 2)

/** Returns the object of a JSON text. Throws an Error whose message is a sentence. */
export function draftOfJson(text: string): Draft {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error('A Template is a JSON object')
  return value
}
