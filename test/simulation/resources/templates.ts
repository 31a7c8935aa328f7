// Generated Templates of a simulated workspace: two revisions of one key, which share most of their signals, and another Template.
import type { Template } from '#shared/contracts/resources/template.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Random } from '../random.ts'
import type { Naming, Route } from './told/choice.ts'
import { destinations } from './told/post.ts'

/** Every revision that a Resource can be bound to, by `key@version`. */
export type Revisions = ReadonlyMap<string, Template>

/** Destinations in each rule's routes, by `key@version rule`. */
export type Namings = ReadonlyMap<string, Naming>

export const revisionNames = ['host@1', 'host@2', 'other@1'] as const

/** `every_seconds` of `beat` and `load` differs between revisions. `host@2` removes `push` and adds `disk`. */
const signalsOf: Record<(typeof revisionNames)[number], [key: string, kind: string, every?: number][]> = {
  'host@1': [
    ['beat', 'heartbeat', 300],
    ['load', 'periodic', 600],
    ['push', 'event'],
  ],
  'host@2': [
    ['load', 'periodic', 900],
    ['beat', 'heartbeat', 200],
    ['disk', 'event'],
  ],
  'other@1': [
    ['beat', 'heartbeat', 300],
    ['load', 'event'],
    ['push', 'event'],
    ['disk', 'periodic', 1_200],
  ],
}
export const simulatedSignals = ['beat', 'load', 'push', 'disk'] as const

const waits = [0, 0, 60, 300, 600, 1_800, { meta: 'hold' }]
const operators = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq']

/**
 * `flapping`: draws the rules that count their changes; null: no rule counts them. With injected faults no rule may, because a change that a
 * keeper noticed late would move the whole count.
 */
export function makeRevisions(
  random: Random,
  routing: Random,
  flapping: Random | null,
): { revisions: Revisions; namings: Namings } {
  const revisions = new Map<string, Template>()
  const namings = new Map<string, Naming>()
  for (const name of revisionNames) {
    const [key, version] = name.split('@') as [string, string]
    const signals = signalsOf[name].map(([signal, kind, every]) => ({
      key: signal,
      kind,
      ...(every ? { every_seconds: every } : {}),
    }))
    const keys = signals.map(signal => signal.key)
    const rules = Array.from({ length: 3 }, (_, i) => ({
      // The first rule has the same key in every revision. Nevertheless a rebind must close the incident of this rule.
      key: i === 0 ? 'first' : `${key}-${version}-${i}`,
      action: 'Look.',
      wait: { confirm_after: random.pick(waits), recover_after: random.pick(waits), ...flappingOf(flapping) },
      decision: random.chance(0.6) ? plainDecision(random, keys) : decision(random, keys, 1),
      ...namingOf(routing),
    }))
    for (const rule of rules) namings.set(`${name} ${rule.key}`, expectedNaming(rule))
    const fields = [
      // The second revision accepts fewer values. On a rebind, an answer that it refuses is replaced by the default.
      { key: 'limit', type: 'number', default: 5, min: 0, max: version === '2' ? 6 : 9 },
      { key: 'factor', type: 'number', default: 1, min: 0.5, max: 3 },
      { key: 'hold', type: 'integer', default: 300, min: 0, max: 3_600 },
      ...(name === 'host@1' ? [] : [{ key: 'team', type: 'string' }]),
    ]
    const manifest = { key, version: Number(version), name, fields, signals, rules }
    revisions.set(name, readManifest(manifest, { systemKeys: new Set(), destinations }))
  }
  return { revisions, namings }
}

const flappingOf = (random: Random | null): object =>
  random === null || random.chance(0.4)
    ? {}
    : { flapping: { changes: random.integer(3, 6), within_seconds: random.pick([900, 3_600, 14_400, 86_400]) } }

interface SentNaming {
  routes?: { destination: string | { name: string }; on?: string[] }[]
  destination?: string
}

/** Returns at random some routes of messages, one destination, or neither of the two, in the form that people write. */
function namingOf(random: Random): SentNaming {
  const kind = random.integer(0, 19)
  if (kind < 6) return {}
  if (kind < 8) return { destination: random.pick(destinations).id }
  if (kind === 8) return { routes: [] }
  const chosen = destinations.filter(() => random.chance(0.45))
  const routes = (chosen.length > 0 ? chosen : destinations.slice(0, 1)).map(({ id }) => {
    const on = ['opened', 'problem', 'no_data', 'recovery', 'acknowledged'].filter(() => random.chance(0.7))
    return { destination: random.chance(0.5) ? id : { name: id }, ...(on.length > 0 && random.chance(0.8) ? { on } : {}) }
  })
  return { routes }
}

/** Returns the routes that `routes` or `destination` stands for. A route without `on` gets the default kinds of messages (v3 3.9). */
function expectedNaming({ routes, destination }: SentNaming): Naming {
  const read = routes?.map(
    ({ destination: named, on }): Route => ({
      destination: typeof named === 'string' ? named : named.name,
      on: on ?? ['problem', 'no_data', 'recovery'],
    }),
  )
  return { routes: read ?? null, destination: destination ?? null }
}

/** Returns a random decision in the form that people write. */
function plainDecision(random: Random, keys: readonly string[]): object {
  const key = () => random.pick(keys)
  const failing = () => ({ signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' })
  const silent = (signal: string) => ({ not: { signal, field: 'known' } })
  switch (random.integer(0, 6)) {
    case 0:
      return failing()
    case 1:
      return silent('beat')
    case 2:
      return { any: [failing(), silent('beat')] }
    case 3:
      return counted(random, key())
    case 4:
      return baseline(random, key())
    case 5:
      return { all: [failing(), { not: { signal: key(), field: 'known', within_seconds: random.pick([60, 900, 3_600]) } }] }
    default:
      return value(random, key())
  }
}

function decision(random: Random, keys: readonly string[], depth: number): object {
  if (depth === 3 || random.chance(0.3)) return comparison(random, keys, true)
  const nodes = () => Array.from({ length: random.integer(2, 3) }, () => decision(random, keys, depth + 1))
  const parts = Array.from({ length: random.integer(2, 3) }, () => comparison(random, keys, false))
  const min_known = random.integer(1, parts.length)
  return random.pick([
    () => ({ all: nodes() }),
    () => ({ any: nodes() }),
    () => ({ not: decision(random, keys, depth + 1) }),
    () => ({ all_known: parts, min_known }),
    () => ({ any_known: parts, min_known }),
  ])()
}

function comparison(random: Random, keys: readonly string[], withKnown: boolean): object {
  const signal = random.pick(keys)
  const kind = random.integer(withKnown ? 0 : 1, 4)
  if (kind === 0)
    return { signal, field: 'known', ...(random.chance(0.5) ? { within_seconds: random.pick([60, 900, 3_600]) } : {}) }
  if (kind === 1)
    return { signal, field: 'status', operator: random.pick(['eq', 'neq']), operand: random.pick(['ok', 'problem']) }
  return [value, counted, baseline][kind - 2]!(random, signal)
}

const value = (random: Random, signal: string): object => ({
  signal,
  field: 'value',
  operator: random.pick(operators),
  operand: random.chance(0.4) ? { meta: 'limit' } : random.integer(0, 9),
})

const counted = (random: Random, signal: string): object => ({
  ...value(random, signal),
  operator: random.pick(['gt', 'lt']),
  min_count: random.integer(1, 4),
  within_seconds: random.pick([300, 900, 3_600, 14_400]),
})

const baseline = (random: Random, signal: string): object => ({
  ...value(random, signal),
  operator: random.pick(['gt', 'lt']),
  operand: random.chance(0.4) ? { meta: 'factor' } : random.pick([0.5, 1, 1.5]),
  baseline: { days: random.pick([1, 2]), min_samples: random.integer(1, 5) },
})
