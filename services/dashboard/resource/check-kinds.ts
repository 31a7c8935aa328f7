// Kinds of checks as the API lists them, with the fields of a form that their Templates have. Reads, and pure conversions.
import type { Section } from '#shared/checks/sections.ts'
import { allWatchFields } from '#shared/checks/watch-fields.ts'
import type { SentField, SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { FieldType } from '#shared/contracts/resources/template.ts'
import { type Location, readLocations } from '../administration/location.ts'
import { askV3 } from '../data/api.ts'
import type { FieldAnswers, FormField } from '../parts/form/field-values.ts'
import { hostOf, withScheme } from '../parts/form/with-scheme.ts'
import { keyOf } from '../templates/template.ts'

export interface ListedOption extends Pick<FormField, 'key' | 'label' | 'help' | 'required' | 'default' | 'options'> {
  type: FieldType
  /** Bounds of a number, of the items of a list, or of the characters of a text. */
  min: number | null
  max: number | null
  /** Types of the fields of a Template that it may read, the most usual one first. */
  takes: readonly FieldType[]
  words: Readonly<Record<string, string>> | null
  example: string | null
  lines: boolean
  section: Section | null
}

export interface ListedKind {
  type: string
  /** As the answer to `What do you want to watch?`. */
  watches: string
  /** `key@version`. */
  template: string
  /** The Template, `key@version`, whose monitors can be bound to this one; null: none. */
  upgrades: string | null
  help: string
  /** Locations of which no prober can make such a check, with the sentence that says why. */
  unable: readonly { location: { id: string }; cannot: string }[]
  options: readonly ListedOption[]
  /** What its Template asks beside them. */
  fields: readonly ListedOption[]
}

/** What can be watched, and from where. */
export interface Offer {
  kinds: readonly ListedKind[]
  locations: readonly Location[]
}

/** Reads the kinds; `short`: without their options. */
export const readKinds = (form: 'whole' | 'short') => askV3<readonly ListedKind[]>('GET', `/checks?form=${form}`)

export async function readOffer(form: 'whole' | 'short' = 'whole'): Promise<Offer> {
  const [kinds, locations] = await Promise.all([readKinds(form), readLocations()])
  return { kinds, locations }
}

/** Returns why no prober of a location can make checks of the kind, a sentence; null: one can, or none runs there. */
export const lackAt = ({ unable }: ListedKind, locationId: string): string | null =>
  unable.find(({ location }) => location.id === locationId)?.cannot ?? null

/** Returns why no location with probers can make checks of the kind, a sentence; null: one can, or none has probers. */
export function lackEverywhere(kind: ListedKind, locations: readonly Location[]): string | null {
  const lacks = locations.filter(({ active_workers_count: count }) => count > 0).map(({ id }) => lackAt(kind, id))
  return lacks.includes(null) ? null : (lacks[0] ?? null)
}

/** Returns the kind whose checks a system Template makes. `reference`: a key, or `key@version`. Null: it is none of the kinds. */
export const kindOf = (kinds: readonly ListedKind[], reference: string): ListedKind | null =>
  kinds.find(({ template }) => keyOf(template) === keyOf(reference)) ?? null

/** Returns the fields of a Template for a form. `kind`: the kind of its checks; null: its Resources are not checked. */
export const formFieldsOf = ({ fields }: Pick<SentTemplate, 'fields'>, kind: ListedKind | null): FormField[] =>
  fields.map(field => formFieldOf(field, kind))

function formFieldOf(field: SentField, kind: ListedKind | null): FormField {
  const isWriteOnly = field.type === 'secret'
  const watched = kind && allWatchFields.find(({ key }) => key === field.key)
  if (watched) {
    const { hint = '', help, ...rest } = watched
    return { ...rest, default: field.default, help: help || hint }
  }
  const option = [...(kind?.options ?? []), ...(kind?.fields ?? [])].find(({ key }) => key === field.key)
  if (option === undefined) return { ...field, isWriteOnly, ...(isWriteOnly && { form: 'lines' }) }
  const { help, words, example, lines, section } = option
  return {
    ...{ ...field, help, isWriteOnly, ...(words && { words }), ...(example && { example }) },
    ...{ ...(lines && { form: 'lines' }), ...(section && { section }) },
  }
}

/** Adds the scheme to each URL without one: `shop.example` becomes `https://shop.example`. */
export const withSchemes = (fields: readonly FormField[], answers: FieldAnswers): FieldAnswers => {
  const urls = new Set(fields.filter(({ type }) => type === 'url').map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [key, urls.has(key) ? withScheme(String(answer)) : answer]),
  )
}

/** Returns the name of a monitor that was given none: the host of its URL, or the answers that a form shows first, as in `db.example:5432`. */
export function nameBy(fields: readonly FormField[], answers: FieldAnswers): string {
  const shown = new Map(Object.entries(withSchemes(fields, answers)))
  const texts = fields
    .filter(({ section }) => section === undefined)
    .flatMap(({ key }) => shown.get(key) ?? [])
    .map(answer => String(answer))
  return texts
    .map(text => hostOf(text) || text)
    .join(':')
    .slice(0, nameCharacters)
}

const nameCharacters = 100
