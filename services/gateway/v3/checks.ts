// Kinds of checks with their fields, from which forms, commands and agents are made. Reference: docs/reference/v3.md, 3.14.
import { Type } from 'typebox'
import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { rangeOf } from '#shared/checks/field-values.ts'
import { offeredKinds } from '#shared/checks/registry.ts'
import { sections } from '#shared/checks/sections.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { fieldTypes } from '#shared/contracts/resources/template.ts'
import { typesTaken } from '#shared/manifest/field-fits.ts'
import { Answered, OrNull } from '../body/result-schema.ts'
import { isShort, Named, route, shortQuery } from './common.ts'

const OptionObject = Answered('CheckOption', {
  key: Type.String({ examples: ['url'] }),
  label: Type.String({ examples: ['URL'] }),
  help: Type.String({ description: 'What it does.', examples: [''] }),
  type: { ...Type.Enum([...fieldTypes]), examples: ['url'] },
  secret: Type.Boolean({ description: 'Hidden from viewers and scoped keys, and in no message.' }),
  required: Type.Boolean(),
  default: Type.Unknown({ description: 'Null if there is none.', examples: [null] }),
  options: Type.Array(Type.String()),
  words: OrNull(
    Type.Record(Type.String(), Type.String(), {
      description: 'Of each option, for people. Null: the options are shown as they are.',
    }),
  ),
  example: OrNull(
    Type.String({ description: 'An answer, for people who have given none.', examples: ['https://shop.example/'] }),
  ),
  takes: Type.Array(Type.Enum([...fieldTypes]), { description: 'Types of the fields of a Template that it may read.' }),
  lines: Type.Boolean({ description: 'Whether a text may have several lines.' }),
  section: OrNull({
    ...Type.Enum(Object.keys(sections)),
    description: 'Of a form. Null: the form shows the option first, as it does the name.',
    examples: ['request'],
  }),
  min: OrNull(Type.Number({ description: 'Of a number, of the items of a list, or of the characters of a text.' })),
  max: OrNull(Type.Number()),
})

const [first] = offeredKinds()

const CheckKindObject = Answered('CheckKind', {
  type: Type.String({ examples: [first?.key] }),
  name: Type.String({ examples: [first?.name] }),
  watches: Type.String({ description: 'What it watches, for people who choose.', examples: [first?.watches] }),
  template: Type.String({ description: 'The system Template of its monitors.', examples: [first && templateOf(first)] }),
  upgrades: OrNull(
    Type.String({ description: 'The older Template whose monitors can be bound to this one.', examples: [upgradedBy(first)] }),
  ),
  help: Type.String({ examples: [first?.help] }),
  value: Answered('CheckValue', {
    name: Type.String({ examples: [first?.value.name] }),
    unit: Type.String({ examples: [first?.value.unit] }),
  }),
  unable: Type.Array(
    Answered('CheckInability', {
      location: Named,
      cannot: Type.String({ examples: ['its probers are older than this check (2.0.0)'] }),
    }),
    { description: 'Locations of which no live prober can make such a check, with the reason.', examples: [[]] },
  ),
  options: Type.Array(OptionObject, { examples: [first?.fields.slice(0, 2).map(optionObject)] }),
  fields: Type.Array(OptionObject, {
    description: 'What its Template asks beside the options and what every check has.',
    examples: [[]],
  }),
})

const list = route('GET', '/checks', {
  summary: 'Kinds of checks, with the options of each, and the Locations that cannot make them.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  query: shortQuery,
  result: Type.Array(CheckKindObject),
  refusals: ['422 form'],
  handler: async ({ directory }, { query, traceId }) => {
    const locations = await directory.ask('list-locations', {}, traceId)
    const made = offeredKinds().map(kind => kindObject(kind, locations))
    return isShort(query) ? made.map(kind => ({ ...kind, options: [], fields: [] })) : made
  },
})

function kindObject(kind: CheckKind, locations: readonly LocationView[]) {
  const { key, name, watches, help, value, fields, templates } = kind
  const unable = locations.flatMap(({ id, name, unable: { [key]: cannot } = {} }) =>
    cannot === undefined ? [] : [{ location: { id, name }, cannot }],
  )
  return {
    ...{ type: key, name, watches, template: templateOf(kind), upgrades: upgradedBy(kind), help, unable },
    value: { name: value.name, unit: value.unit },
    ...{ options: fields.map(optionObject), fields: (templates.at(-1)?.fields ?? []).map(optionObject) },
  }
}

/** Returns the newest one, as `key@version`. */
function templateOf({ templates }: CheckKind): string {
  const newest = templates.at(-1)
  return `${newest?.key}@${newest?.version}`
}

/** Returns the Template, `key@version`, whose monitors can be bound to that of the kind. */
function upgradedBy(kind: CheckKind | undefined): string | null {
  return kind?.templates.at(-1)?.upgrade?.from ?? null
}

function optionObject(field: CheckField) {
  const { key, label, help, hint = '', type, secret, required, default: usual, options } = field
  const { words = null, example = null, section = null, form } = field
  return {
    ...{ key, label, help: help || hint, type, secret, required, default: usual, options: [...options], words, example },
    takes: [...typesTaken(field)],
    ...{ lines: type === 'text' || form === 'lines', section, ...rangeOf(field) },
  }
}

export const checkRoutes = [list]
