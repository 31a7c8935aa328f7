// Valid Templates with every kind of field, signal, decision and delay, and with keys of the shortest and longest allowed length.
import type { Random } from '../../simulation/random.ts'

type Json = Record<string, unknown>

export function makeManifest(random: Random, key: string, version: number): Json {
  const signals = makeSignals(random)
  const keys = signals.map(signal => String(signal['key']))
  return {
    key,
    version,
    name: random.pick(['Host', 'x'.repeat(100), ' 👍 ', 'constructor']),
    ...(random.chance(0.3) ? { summary: random.pick(['', 'é'.repeat(500), 'two\nlines']) } : {}),
    fields: makeFields(random),
    signals,
    rules: makeRules(random, keys),
  }
}

const waits = [0, 0, 0, 1, 120, 31_536_000, { meta: 'hold' }]

function makeFields(random: Random): Json[] {
  const optional: Json[] = [
    { key: 'constructor', type: 'string' },
    { key: 'owner', type: 'string', default: 'core', label: 'Owner', help: 'Whose it is.' },
    { key: 'size', type: 'integer', min: 1, max: 9, required: true },
    { key: 'share', type: 'number', min: -0.5, max: 0.5, default: null },
    { key: 'loud', type: 'boolean', default: false },
    { key: 'kind', type: 'enum', options: ['a', 'constructor', '__proto__'], required: random.chance(0.5) },
    { key: 'age', type: 'duration', default: 31_536_000 },
    { key: 'hosts', type: 'string_list', default: [] },
    { key: 'ports', type: 'integer_list' },
    { key: `f${'_'.repeat(62)}`, type: 'string' },
  ]
  const always = [
    { key: 'hold', type: 'duration_seconds', default: 0 },
    { key: 'limit', type: 'number', default: 5, min: 1, max: 100 },
  ]
  return [...always, ...optional.filter(() => random.chance(0.3))]
}

function makeSignals(random: Random): Json[] {
  const more: Json[] = [
    { key: 'constructor', kind: 'event' },
    { key: 'beat', kind: 'heartbeat', every_seconds: random.pick([10, 60, 86_400]) },
    { key: 'load', kind: 'periodic', every_seconds: 600, help: 'Of the last minute.' },
    { key: `0${'.'.repeat(62)}`, kind: 'event' },
  ]
  return [{ key: 'probe', kind: 'event' }, ...more.filter(() => random.chance(0.5))]
}

function makeRules(random: Random, signals: readonly string[]): Json[] {
  const keys = ['failing', 'constructor', 'r-2', 'r.3'].filter((_, i) => i === 0 || random.chance(0.3))
  return keys.map(key => ({
    key,
    action: random.pick(['Look.', '👍'.repeat(200)]),
    wait: { confirm_after: random.pick(waits), recover_after: random.pick(waits) },
    decision: makeDecision(random, signals, 1),
    ...(random.chance(0.1) ? { routes: [] } : {}),
  }))
}

function makeDecision(random: Random, signals: readonly string[], depth: number): Json {
  if (depth < 4 && random.chance(0.3)) {
    const word = random.pick(['all', 'any', 'not'])
    const part = () => makeDecision(random, signals, depth + 2)
    return { [word]: word === 'not' ? part() : [part(), part()] }
  }
  if (depth < 4 && random.chance(0.2)) {
    return {
      [random.pick(['all_known', 'any_known'])]: [status(random, signals), value(random, signals)],
      min_known: random.pick([1, 2]),
    }
  }
  if (random.chance(0.1)) return { signal: random.pick(signals), field: 'known' }
  return random.chance(0.7) ? status(random, signals) : value(random, signals)
}

const status = (random: Random, signals: readonly string[]): Json => ({
  signal: random.pick(signals),
  field: 'status',
  operator: random.pick(['eq', 'neq']),
  operand: random.pick(['ok', 'problem']),
})

function value(random: Random, signals: readonly string[]): Json {
  const plain = {
    signal: random.pick(signals),
    field: 'value',
    operator: random.pick(['eq', 'neq', 'gt', 'gte', 'lt', 'lte']),
    operand: random.pick<unknown>([5, 0.1, 100, { meta: 'limit' }]),
  }
  if (random.chance(0.3)) return { ...plain, min_count: random.pick([1, 3, 100]), within_seconds: random.pick([60, 86_400]) }
  return random.chance(0.2)
    ? { ...plain, baseline: { days: random.pick([1, 30]), min_samples: random.pick([1, 10_000]) } }
    : plain
}
