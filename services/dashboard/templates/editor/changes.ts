// The differences between a published revision and a draft, as sentences about the effects on Resources that move to the draft. Pure.
import { type Draft, isObject, itemsAt, textAt, valueAt } from './draft.ts'

type Part = Record<string, unknown>

const partsAt = (draft: Draft, place: string): Map<string, Part> =>
  new Map(itemsAt(draft, place).flatMap(part => (isObject(part) ? [[textAt(part, 'key'), part] as const] : [])))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

interface Words {
  gone(key: string): string
  added(key: string, part: Part): string
  changed(key: string, before: Part, after: Part): string
}

/** Returns sentences about the differences; an empty list: only the versions differ. */
export function changesBetween(before: Draft, after: Draft): string[] {
  const compare = (place: string, words: Words): string[] => {
    const [old, now] = [partsAt(before, place), partsAt(after, place)]
    return [
      ...[...old.keys()].filter(key => !now.has(key)).map(words.gone),
      ...[...now].flatMap(([key, part]) => {
        const known = old.get(key)
        if (known === undefined) return [words.added(key, part)]
        return isSame(known, part) ? [] : [words.changed(key, known, part)]
      }),
    ]
  }
  const texts = ['name', 'summary'].filter(place => textAt(before, place) !== textAt(after, place))
  return [
    ...texts.map(place => `The ${place} changes.`),
    ...compare('fields', fields),
    ...compare('signals', signals),
    ...compare('rules', rules),
  ]
}

const fields: Words = {
  gone: key => `The answer ${key} goes.`,
  added: (key, part) =>
    part['required'] === true && part['default'] === undefined
      ? `The answer ${key} is new and required: a monitor is bound with it, or not at all.`
      : `The answer ${key} is new and has its default.`,
  changed: (key, before, after) =>
    isSame(before['default'], after['default'])
      ? `The answer ${key} changes. An answer that it no longer takes falls back to its default.`
      : `The default of the answer ${key} changes from ${textAt(before, 'default') || 'none'} to ${textAt(after, 'default') || 'none'}.`,
}

const checkParts = ['check', 'locations', 'agreement'] as const

function silence({ every_seconds: every }: Part): string {
  return isObject(every) ? `three times the answer ${textAt(every, 'meta')}` : `${3 * Number(every)} s`
}

const signals: Words = {
  gone: key => `The signal ${key} goes: it is no longer accepted, and begins anew if it comes back.`,
  added: key => `The signal ${key} is new: nothing is known of it until it reports.`,
  changed: (key, before, after) =>
    textAt(before, 'kind') !== textAt(after, 'kind')
      ? `The signal ${key} becomes ${textAt(after, 'kind')}.`
      : checkParts.some(part => !isSame(before[part], after[part]))
        ? `The signal ${key} is checked otherwise.`
        : !isSame(before['every_seconds'], after['every_seconds'])
          ? `The signal ${key} is silent after ${silence(after)}, before after ${silence(before)}.`
          : `The help of the signal ${key} changes.`,
}

const ruleParts = [
  ['decision', 'decides otherwise'],
  ['unknown', 'decides otherwise while its result is unknown'],
  ['wait', 'waits otherwise'],
  ['action', 'says another thing to do'],
  ['destination', 'notifies otherwise'],
  ['routes', 'notifies otherwise'],
  ['help', 'has another help'],
] as const

const rules: Words = {
  gone: key => `The rule ${key} goes.`,
  added: key => `The rule ${key} is new.`,
  changed: (key, before, after) => {
    const differing = ruleParts.filter(([part]) => !isSame(valueAt(before, part), valueAt(after, part)))
    return `The rule ${key} ${[...new Set(differing.map(([, words]) => words))].join(', ')}.`
  },
}
