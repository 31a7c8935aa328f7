// Readers of bodies of generations 1 and 2: which field is refused first, and the sentence of each bound.

import t from 'tap'
import { type TObject, Type } from 'typebox'
import type { AppError } from '#shared/errors.ts'
import { Maybe, marks } from '../../services/gateway/body/field-values.ts'
import { fieldReader } from '../../services/gateway/body/fields.ts'
import { classicRoutes } from '../../services/gateway/http/api.ts'
import { freshThings, pathOf, routes } from '../conformance/routes.ts'
import { startApiWorld } from '../support/worlds/api-world.ts'

const inWords = (details: string) => ({ message: 'In words', details })

const Body = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 3, ...marks({ emptyIsMissing: true, refusal: 'is too long' }) }),
    word: Maybe(Type.Enum(['a', 'b'], marks({ anyType: true, refusal: inWords('a or b') }))),
    part: Type.Object({ count: Type.Number({ minimum: 1, maximum: 9, multipleOf: 2, ...marks({ refusal: 'is odd' }) }) }),
    rows: Maybe(
      Type.Array(Type.Object({ kind: Type.Enum(['x'], marks({ missing: inWords('no kind'), refusal: 'is no kind' })) }), {
        maxItems: 2,
        ...marks({ refusal: 'has too many' }),
      }),
    ),
    labels: Maybe(
      Type.Record(
        Type.String(),
        Type.String({ maxLength: 2, ...marks({ refusal: (place, key) => inWords(`${place} of ${key}`) }) }),
        {
          maxProperties: 2,
          propertyNames: { minLength: 1, ...marks({ refusal: 'has an empty key' }) },
          ...marks({ refusal: 'has too many' }),
        },
      ),
    ),
    flag: Maybe(Type.Union([Type.Boolean(), Type.Literal('')], marks({ emptyIsUnset: true }))),
    at: Maybe(Type.String(marks({ faultOf: text => (text === 'never' ? { code: 'not_found', ...inWords('never') } : null) }))),
    unjudged: Maybe(Type.String({ maxLength: 1 })),
  },
  { additionalProperties: false },
)

const right = {
  name: '👍👍👍',
  word: 'a',
  part: { count: 2 },
  rows: [{ kind: 'x' }],
  labels: { a: 'bb' },
  flag: '',
  unjudged: 'long',
}

function refusalOf(body: object): string | null {
  try {
    fieldReader(Body)(body as Record<string, unknown>)
    return null
  } catch (error) {
    const { code, message, details } = error as AppError
    return `${code}: ${message}: ${details}`
  }
}

t.test('field reader refuses with the words of the schema when a value is missing or out of bounds', async t => {
  const cases: [change: object, refusal: string | null][] = [
    [{}, null],
    [{ word: null, rows: null, labels: null, flag: null, at: null, unjudged: null }, null],
    [{ name: null }, "validation: Validation failed: Field 'name' is required"],
    [{ name: '' }, "validation: Validation failed: Field 'name' is required"],
    [{ name: '👍👍👍👍' }, "validation: Validation failed: Field 'name' is too long"],
    [{ name: 5 }, "malformed: Invalid JSON: Field 'name' has the wrong type"],
    [{ name: '\ud800' }, 'malformed: Invalid JSON: A text holds an unpaired surrogate'],
    [{ word: 'c' }, 'validation: In words: a or b'],
    [{ word: 5 }, 'validation: In words: a or b'],
    [{ part: null }, "validation: Validation failed: Field 'part.count' is required"],
    ...[0, 3, 10].map((count): [object, string] => [
      { part: { count } },
      "validation: Validation failed: Field 'part.count' is odd",
    ]),
    [{ part: { count: 8 } }, null],
    [{ rows: [{}] }, 'validation: In words: no kind'],
    [{ rows: [{ kind: 'x' }, { kind: 'y' }] }, "validation: Validation failed: Field 'rows[1].kind' is no kind"],
    [{ rows: Array(3).fill({ kind: 'x' }) }, "validation: Validation failed: Field 'rows' has too many"],
    [{ labels: { '': 'x' } }, "validation: Validation failed: Field 'labels' has an empty key"],
    [{ labels: { a: 'x', b: 'long' } }, 'validation: In words: labels of b'],
    [{ labels: { a: 'x', b: 'x', c: 'x' } }, "validation: Validation failed: Field 'labels' has too many"],
    [{ flag: true }, null],
    [{ flag: 'true' }, "malformed: Invalid JSON: Field 'flag' has the wrong type"],
    [{ at: 'never' }, 'not_found: In words: never'],
    [{ more: 1 }, "malformed: Invalid JSON: Unknown field 'more'"],
  ]
  for (const [change, refusal] of cases) t.equal(refusalOf({ ...right, ...change }), refusal, JSON.stringify(change))
})

t.test('field reader refuses JSON types first, then the first declared field, when several fields are wrong', async t => {
  t.equal(refusalOf({ at: 'never', word: 'c', name: 'long' }), "validation: Validation failed: Field 'name' is too long")
  t.equal(refusalOf({ at: 'never', word: 'c', name: 'one' }), 'validation: In words: a or b')
  t.equal(refusalOf({ name: '', flag: 'x' }), "malformed: Invalid JSON: Field 'flag' has the wrong type")
  t.equal(refusalOf({ flag: 'x', part: { count: 'x' } }), "malformed: Invalid JSON: Field 'part.count' has the wrong type")
})

const home = 'home000000'

/** Requests with two faults that the gateway itself refuses. */
const twice: [line: string, change: object, refusal: string][] = [
  ['POST /v2/subjects', { name: '', subject_kind: 'website' }, '2004 Website subjects are created elsewhere'],
  ['POST /v2/subjects', { name: '', subject_kind: 'other' }, "2001 Field 'subject_kind' must be custom"],
  ['POST /v2/subjects/:subject/signals', { name: '.', kind: 'no' }, '2001 A name needs at least one letter or digit'],
  [
    'POST /v2/subjects/:subject/signals/:signal/observations',
    { status: 5, observed_at: 'x' },
    '2001 status must be ok or problem',
  ],
  [
    'POST /v2/subjects/:subject/signals/:signal/observations',
    { observed_at: 'x', labels: { location: 'x' } },
    '2001 observed_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05Z',
  ],
  [
    'POST /v2/notifications/destinations?workspace_id=:workspace',
    { name: null, default: 'yes' },
    "2006 Field 'default' has the wrong type",
  ],
  [
    'POST /v2/notifications/destinations?workspace_id=:workspace',
    { transformation_id: 2 ** 60, destination_type: '' },
    '2002 A transformation id is a whole number',
  ],
  [
    'POST /v2/subjects/:subject/delivery',
    { selections: [{ destination_id: 1, alert_kinds: ['x'] }, { destination_id: null }] },
    '2001 alert_kinds holds problem, no_data, recovery only',
  ],
  [
    'POST /v2/monitoring/websites',
    { name: `\u202e${'x'.repeat(400)}`, interval: 61 },
    "2001 Field 'name' must have no control or invisible characters",
  ],
]

t.test('route of generation 2 refuses the field that it checks first when two fields are wrong', async t => {
  const world = await startApiWorld()
  t.teardown(() => world.stop())
  const { token } = await world.addPerson('owner', { [home]: 'owner' })
  for (const [line, change, refusal] of twice) {
    const things = await freshThings(world, home)
    const route = routes.find(({ method, path }) => `${method} ${path}` === line)
    const body = { ...route?.body?.(things), ...change }
    const { json } = await world.call('POST', pathOf({ path: line.slice(5) }, things), { token, body })
    t.equal(`${json.error?.code} ${json.error?.code === 2004 ? json.error.message : json.error?.details}`, refusal, line)
  }
})

/** Bounds that the route's own reader or the directory checks. */
const judgedElsewhere = [
  ...['workspace_id', 'name', 'url', 'channel', 'template', 'transformation_id', 'selections', 'selections[].destination_id'],
  ...['document.inputs[].mode', 'document.inputs[].compare', 'document.decision.at_least'],
]

t.test('each bound for which the schemas of generations 1 and 2 have no refusal is checked elsewhere', async t => {
  const bare = new Set<string>()
  for (const { body } of Object.values(classicRoutes).flat()) if (body !== undefined) collectBare(body, '', bare)
  t.strictSame([...bare].toSorted(), judgedElsewhere.toSorted())
})

interface Schema {
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  items?: Schema
  refusal?: unknown
  [keyword: string]: unknown
}

const boundWords = ['enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'minItems', 'maxItems', 'maxProperties']

function collectBare(schema: Schema | TObject, place: string, found: Set<string>): void {
  const { properties = {}, anyOf = [], items, refusal } = schema as Schema
  if (refusal === undefined && boundWords.some(word => Object.hasOwn(schema, word))) found.add(place)
  for (const [name, member] of Object.entries(properties)) collectBare(member, place === '' ? name : `${place}.${name}`, found)
  for (const alternative of anyOf) collectBare(alternative, place, found)
  if (items !== undefined && (refusal === undefined || items.properties !== undefined)) collectBare(items, `${place}[]`, found)
}
