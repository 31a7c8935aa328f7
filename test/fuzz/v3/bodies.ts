// Valid bodies for every route of generation 3. If this file has no function for a route, the body is the example in the route's declaration,
// or a value made from the schema of the body.
import type { Random } from '../../simulation/random.ts'
import { makeValue } from '../values.ts'
import type { KnownResource, KnownTemplate, V3Known } from './known.ts'
import { makeManifest } from './manifests.ts'
import type { V3Operation } from './operations.ts'
import { plant } from './secrets.ts'

export interface Making {
  random: Random
  known: V3Known
  locations: readonly string[]
  receiverUrl: string
}

/** Returns a body that fits the schema of the operation; null: the operation has no body. */
export function makeBody(operation: V3Operation, path: string, making: Making): Record<string, unknown> | null {
  const { random } = making
  if (operation.body === null) return null
  const own = makers[operation.name]
  const { examples = [] } = operation.route ?? {}
  if (own !== undefined && (examples.length === 0 || random.chance(0.85))) return own(making, path)
  return examples.length > 0 ? (random.pick(examples) as Record<string, unknown>) : makeLoosely(operation, making)
}

/** Returns a body with the right JSON types. Strings in this body may have a form that the API refuses. */
export function makeLoosely(operation: V3Operation, { random }: Making): Record<string, unknown> | null {
  if (operation.body === null) return null
  // A decision can contain decisions, so a value made from its schema could be endless. This decision contains none.
  const lone = { signal: 'probe', field: 'known' }
  const known = (field: string) => (field === 'decision' ? lone : undefined)
  const given = { random, resolve: operation.resolve, known, outside: 0, isOutside: false }
  return makeValue(operation.body, '', given) as Record<string, unknown>
}

const in3 = '/v3/workspaces/{workspace}'
const resourcePath = `${in3}/resources/{resource}`

const makers: Readonly<Record<string, (making: Making, path: string) => Record<string, unknown>>> = {
  'POST /v3/workspaces': ({ random }) => ({ name: name(random) }),
  [`PATCH ${in3}`]: ({ random }) => ({ name: name(random) }),
  [`POST ${in3}/deletion`]: ({ known }, path) => ({
    name: known.workspaces.find(({ id }) => path.includes(`/${id}/`))?.name ?? 'Nothing',
  }),
  [`POST ${in3}/members`]: ({ random, known }) => ({
    username: random.pick(known.accounts),
    role: random.pick(['viewer', 'editor']),
  }),
  [`POST ${in3}/invitations`]: ({ random, known }) => ({
    username: random.chance(0.5) ? `guest-${random.integer(1, 9)}` : random.pick(known.accounts),
    role: random.pick(['viewer', 'editor', 'owner']),
  }),
  'POST /v3/users': ({ random }) => ({
    username: `made-${random.id(6)}`,
    ...some(random, { display_name: name(random), password: plant.account, admin: random.chance(0.2) }),
  }),
  'PATCH /v3/users/{user}': ({ random }) =>
    some(random, { display_name: name(random), disabled: random.chance(0.5), admin: random.chance(0.5) }),
  'POST /v3/locations': ({ random }) => ({
    name: `${name(random)} ${random.id(4)}`,
    ...some(random, { display_name: name(random) }),
  }),
  'PATCH /v3/locations/{location}': ({ random }) =>
    some(random, { name: `${name(random)} ${random.id(4)}`, display_name: random.chance(0.5) ? '' : name(random) }),
  'POST /v3/prober-credentials': ({ random, locations }) => ({
    location: random.chance(0.5) ? 'local' : random.pick(locations),
    ...some(random, { description: `rack ${random.id(4)}` }),
  }),
  [`POST ${in3}/templates`]: ({ random, known }) => {
    const former = random.chance(0.5) ? random.pick(known.templates) : undefined
    return makeManifest(
      random,
      former?.key ?? `t${random.integer(1, 40)}`,
      random.pick([1, 2, 3, 1_000_000, random.integer(1, 999)]),
    )
  },
  [`POST ${in3}/resources`]: making => newResource(making),
  [`PATCH ${resourcePath}`]: (making, path) => {
    const { random } = making
    const template = templateOf(making, path)
    return some(random, {
      name: name(random),
      meta: template === undefined ? {} : some(random, meta(random, template)),
      labels: random.chance(0.5) ? labels(random) : { env: null },
    })
  },
  [`POST ${resourcePath}/observations`]: (making, path) => observation(making, resourceAt(making, path)),
  [`POST ${in3}/observations`]: making => ({
    observations: Array.from({ length: making.random.integer(1, 4) }, () => {
      const resource = making.random.pick(making.known.resources)
      return { resource: resource?.key ?? 'nothing', ...observation(making, resource) }
    }),
  }),
  [`POST ${resourcePath}/rebind`]: (making, path) => {
    const of = templateOf(making, path)
    const { random, known } = making
    const to = random.pick(known.templates.filter(({ key }) => key === of?.key || random.chance(0.2)))
    return to === undefined ? { template: 'heartbeat@1' } : { template: `${to.key}@${to.version}`, meta: meta(random, to) }
  },
  [`PUT ${resourcePath}/maintenance`]: ({ random }) => ({ minutes: random.pick([1, 10_080, random.integer(2, 500)]) }),
  [`POST ${in3}/destinations`]: ({ random, receiverUrl }) => destination(random, receiverUrl),
  [`PATCH ${in3}/destinations/{id}`]: ({ random, receiverUrl }) => {
    const { type, ...rest } = destination(random, receiverUrl)
    return some(random, type === 'slack' ? { name: rest['name'], enabled: rest['enabled'] } : rest)
  },
  [`POST ${in3}/addresses`]: ({ random, known }) =>
    some(random, {
      template: random.chance(0.5) ? (random.pick(known.templates)?.key ?? null) : null,
      second_factor: random.chance(0.3),
      description: `Jobs ${random.id(4)}`,
    }),
  [`POST ${in3}/ping-keys`]: ({ random }) =>
    some(random, { description: `Jobs ${random.id(4)}`, key: `imported-${random.id(16)}` }),
  'POST /in/{token}': making => {
    const { random, known } = making
    const resource = random.pick(known.resources)
    if (resource !== undefined && random.chance(0.6)) return { resource: resource.key, ...observation(making, resource) }
    const template = random.pick(known.templates)
    return {
      resource: `srv-${random.integer(1, 500)}`,
      template_id: template === undefined ? 'heartbeat' : `${template.key}@${template.version}`,
      meta: template === undefined ? {} : meta(random, template),
      signal: template === undefined ? 'beat' : random.pick(template.signals).key,
      state: random.pick(['ok', 'problem']),
    }
  },
}

/** Keeps each member with a chance of one half. */
const some = (random: Random, members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(() => random.chance(0.5)))

const name = (random: Random): string =>
  random.pick([
    `Name ${random.id(random.integer(1, 20))}`,
    'x'.repeat(60),
    '👍'.repeat(60),
    ' Äpfel ',
    'constructor',
    "'; DROP TABLE x",
  ])

/** Keys that every JavaScript object inherits are valid keys too. */
const keyWords = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'a'.repeat(128), 'srv:1@b.c_d-e', '0']

function newResource(making: Making): Record<string, unknown> {
  const { random, known, locations } = making
  const labelled = random.chance(0.5) ? { labels: labels(random) } : {}
  const keyed = random.chance(0.6) ? { key: random.chance(0.2) ? random.pick(keyWords) : `k-${random.id(6)}` } : {}
  const template = random.pick(known.templates)
  if (template === undefined || random.chance(0.1)) {
    const answers = {
      url: plant.websiteUrl,
      data: plant.data,
      method: 'POST',
      locations: [random.pick(locations)],
      interval_value: 60,
    }
    return { template: 'website-check', name: name(random), meta: answers, ...keyed, ...labelled }
  }
  const reference = random.chance(0.5) ? template.key : `${template.key}@${template.version}`
  return { template: reference, name: name(random), meta: meta(random, template), ...keyed, ...labelled }
}

const resourceAt = ({ known }: Making, path: string): KnownResource | undefined => {
  const reference = decodeURIComponent(path.split('/')[5] ?? '')
  return known.resources.find(({ id, key }) => id === reference || key === reference)
}

const templateOf = (making: Making, path: string): KnownTemplate | undefined => {
  const reference = resourceAt(making, path)?.template
  return making.known.templates.find(({ key, version }) => `${key}@${version}` === reference)
}

/** Returns `meta` with a value for each required field of the revision and for some of the other fields. */
export function meta(random: Random, { fields }: Pick<KnownTemplate, 'fields'>): Record<string, unknown> {
  const given = fields.filter(({ required }) => required || random.chance(0.5))
  return Object.fromEntries(given.map(field => [field.key, answer(random, field)]))
}

function answer(random: Random, { type, options, min, max }: KnownTemplate['fields'][number]): unknown {
  const number = random.pick([min ?? 0, max ?? 50, Math.floor(((min ?? 0) + (max ?? 50)) / 2)])
  const values: Record<string, unknown> = {
    string: random.pick(['', 'x'.repeat(1_024), '漢字', '__proto__', ' blank ']),
    enum: options[0],
    boolean: random.chance(0.5),
    string_list: random.pick([[], ['a'], Array.from({ length: 100 }, () => 'b')]),
    integer_list: random.pick([[], [1, -2]]),
  }
  return type in values ? values[type] : number
}

function labels(random: Random): Record<string, string> {
  const keys = ['env', 'team', 'constructor', '0', 'a.b-c_d', 'z'.repeat(63)]
  const given = keys.filter(() => random.chance(0.4))
  return Object.fromEntries(given.map(key => [key, random.pick(['production', 'x'.repeat(128), '👍', 'a b'])]))
}

function observation(making: Making, resource: KnownResource | undefined): Record<string, unknown> {
  const { random } = making
  const signal = random.pick(resource?.signals ?? []) ?? 'beat'
  if (random.chance(0.1))
    return { signal: random.pick(['new', 'constructor', 'a.b-c_d']), state: 'ok', kind: random.pick(['event', 'periodic']) }
  const sent = {
    value: random.pick<number>([0, -1.5, 1e308, 40, 5e-324]),
    reason: random.pick([plant.reason, 'disk full', ' \u0007 ', 'é'.repeat(500)]),
    labels: random.pick<object>([
      {},
      { api_token: plant.label, 'Ä 👍': 'x', constructor: 'y' },
      JSON.parse('{"__proto__": "p"}'),
    ]),
    body: random.pick<object>([{}, { deep: { er: [1, null] } }, JSON.parse('{"__proto__": {"a": 1}}')]),
    at: new Date(Date.now() - random.integer(0, 3_000_000)).toISOString(),
    id: random.pick([`run-${random.integer(1, 60)}`, '👍'.repeat(128), '__proto__', 'a/b?c']),
  }
  const state = signal.includes('@') ? random.pick(['ok', 'problem']) : random.pick(['ok', 'problem', 'problem', 'no_data'])
  return { signal, state, ...some(random, sent) }
}

const destination = (random: Random, receiverUrl: string): Record<string, unknown> => ({
  name: `To ${random.id(5)}`,
  type: random.pick(['slack', 'webhook']),
  url: `${receiverUrl}${plant.destination}`,
  ...some(random, { enabled: random.chance(0.7), channel: '' }),
})
