// Ways to break the meaning of a well-formed body: in `meta` and `labels`, in instants, and in references between parts of a Template. The
// API must refuse each of them with 422 and the faulty field. Reference: docs/reference/v3.md, 1.4, 1.5, section 3, 6.2 and section 7.
import type { Random } from '../../simulation/random.ts'
import type { KnownTemplate } from './known.ts'
import { type Mutation, withOwn, written } from './mutations.ts'

type Json = Record<string, unknown>
type Fault = (body: Json, random: Random) => Mutation

const manyLabels = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'v']))
const refused = (name: string, body: unknown, field: string): Mutation => ({
  name,
  text: written(body),
  expected: { status: 422, field },
})

const wrongOfResource: readonly Json[] = [
  { A: 'upper' },
  { '': 'x' },
  { _a: 'x' },
  { ['a'.repeat(64)]: 'x' },
  { a: '' },
  { a: ' x' },
  { a: 'x'.repeat(129) },
  { a: 'a\nb' },
  { a: 1 },
  { a: ['x'] },
  { a: { b: 'c' } },
  JSON.parse('{"__proto__": "x"}'),
  manyLabels,
]
const wrongOfObservation: readonly Json[] = [
  { location: 'de' },
  { '': 'x' },
  { ['a'.repeat(65)]: 'x' },
  { a: 'x'.repeat(257) },
  { a: '👍'.repeat(257) },
  { a: 'a\u0000' },
  { 'a\n': 'x' },
  { a: null },
  { a: 1 },
  { constructor: {} },
  JSON.parse('{"__proto__": {}}'),
  manyLabels,
]
const wrongInstants = ['', 'now', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '1970-01-01T00:00:00Z']

const labelFault =
  (wrong: readonly Json[]): Fault =>
  (body, random) =>
    refused('wrong labels', { ...body, labels: random.pick(wrong) }, 'labels')

const observationFaults: readonly Fault[] = [
  labelFault(wrongOfObservation),
  (body, random) => refused('a wrong instant', { ...body, at: random.pick(wrongInstants.slice(0, 5)) }, 'at'),
  body => refused('a body too large', { ...body, body: { a: 'x'.repeat(16_384) } }, 'body'),
  body => refused('a number that no double holds', { ...body, body: { a: ['@huge@'] } }, 'body'),
]

/** Puts a fault into `meta`. `template` declares the valid fields of `meta`. */
const metaFault =
  (template: KnownTemplate): Fault =>
  (body, random) => {
    const meta = (body['meta'] ?? {}) as object
    const field = random.chance(0.5) ? random.pick(template.fields) : undefined
    if (field === undefined) {
      const key = random.pick(['nothing', '__proto__', 'toString', 'a.b', '👍', 'X', 'hasOwnProperty'])
      return refused('an unknown answer', { ...body, meta: withOwn(meta, key, 'x') }, key)
    }
    const wrong: readonly unknown[] = [{}, { a: 1 }, [[]], [null], '@huge@', 1e308, 'a\u0000b', 'x'.repeat(1_025)]
    return refused('a wrong answer', { ...body, meta: withOwn(meta, field.key, random.pick(wrong)) }, field.key)
  }

const [comparison, other] = [
  { signal: 'probe', field: 'status', operator: 'eq', operand: 'ok' },
  { signal: 'probe', field: 'value', operator: 'gt', operand: 1 },
]
const deep = { not: { not: { not: { not: comparison } } } }
const many = { all: [{ any: Array(9).fill(comparison) }, { any: Array(8).fill(comparison) }] }
/** Faulty decisions, each with the path of the faulty field. */
const wrongDecisions: readonly [decision: object, place: string][] = [
  [{ ...comparison, signal: 'constructor2' }, '.signal'],
  [{ ...comparison, operator: 'gt' }, '.operator'],
  [{ ...comparison, operand: 'bad' }, '.operand'],
  [{ ...comparison, operand: 1 }, '.operand'],
  [{ ...other, operand: 'ok' }, '.operand'],
  [{ ...other, operand: { meta: 'nothing' } }, '.operand'],
  [{ ...other, min_count: 3 }, '.within_seconds'],
  [{ ...other, within_seconds: 60 }, '.min_count'],
  [{ ...other, baseline: { days: 1, min_samples: 1 }, min_count: 2, within_seconds: 60 }, '.baseline'],
  [{ ...other, operand: 0, baseline: { days: 1, min_samples: 1 } }, '.operand'],
  [{ ...other, operand: 100.5, baseline: { days: 1, min_samples: 1 } }, '.operand'],
  [{ all_known: [comparison, other], min_known: 3 }, '.min_known'],
  [{ any: [comparison, { ...comparison, signal: 'nothing' }] }, '.any.1.signal'],
  [deep, '.not.not.not.not'],
  [many, ''],
]
const wrongFields: readonly [field: Json, place: string][] = [
  [{ key: 'bad', type: 'string', min: 1 }, 'min'],
  [{ key: 'bad', type: 'integer', min: 2, max: 1 }, 'max'],
  [{ key: 'bad', type: 'enum' }, 'options'],
  [{ key: 'bad', type: 'string', options: ['a'] }, 'options'],
  [{ key: 'bad', type: 'integer', default: 'x' }, 'default'],
  [{ key: 'bad', type: 'integer', default: 1.5 }, 'default'],
  [{ key: 'bad', type: 'number', default: '@huge@' }, 'default'],
  [{ key: 'bad', type: 'enum', options: ['a'], default: 'constructor' }, 'default'],
  [{ key: 'bad', type: 'duration', default: -1 }, 'default'],
  [{ key: 'bad', type: 'string_list', default: [1] }, 'default'],
  [{ key: 'limit', type: 'string' }, 'key'],
]

const templateFaults: readonly Fault[] = [
  (body, random) => {
    const [decision, place] = random.pick(wrongDecisions)
    const [rule] = body['rules'] as [Json]
    return refused('a wrong decision', { ...body, rules: [{ ...rule, decision }] }, `rules.0.decision${place}`)
  },
  (body, random) => {
    const [field, place] = random.pick(wrongFields)
    const fields = (body['fields'] ?? []) as Json[]
    return refused('a wrong field', { ...body, fields: [...fields, field] }, `fields.${fields.length}.${place}`)
  },
  (body, random) => {
    const signals = body['signals'] as Json[]
    const [signal, place] = random.pick<[Json, string]>([
      [{ key: 'probe', kind: 'event' }, 'key'],
      [{ key: 'bad', kind: 'event', every_seconds: 60 }, 'every_seconds'],
      [{ key: 'bad', kind: 'heartbeat' }, 'every_seconds'],
    ])
    return refused('a wrong signal', { ...body, signals: [...signals, signal] }, `signals.${signals.length}.${place}`)
  },
  (body, random) => {
    const [rule] = body['rules'] as [Json]
    const wait = { confirm_after: { meta: random.pick(['nothing', 'limit', 'constructor2']) }, recover_after: 0 }
    return refused('a wrong wait', { ...body, rules: [{ ...rule, wait }] }, 'rules.0.wait.confirm_after.meta')
  },
  (body, random) => {
    const [rule] = body['rules'] as [Json]
    const destination = random.pick<unknown>(['nobody', { name: 'Nobody' }, { id: 'constructor' }])
    return refused('a wrong destination', { ...body, rules: [{ ...withoutRoutes(rule), destination }] }, 'rules.0.destination')
  },
  body => refused('a system key', { ...body, key: 'website-check' }, 'key'),
  body => ({ name: 'a key of two kinds of node', text: written(twoKinds(body)), expected: { status: 400 } }),
]

const withoutRoutes = ({ routes: _, ...rule }: Json): Json => rule

function twoKinds(body: Json): Json {
  const [rule] = body['rules'] as [Json]
  return { ...body, rules: [{ ...rule, decision: { not: comparison, ...comparison } }] }
}

/** Breaks a rule about the meaning of the body; null: only the schema restricts bodies of this operation. */
export function misuse(name: string, body: Json, template: KnownTemplate | undefined, random: Random): Mutation | null {
  const faults = faultsOf(name, body, template)
  return faults.length === 0 ? null : random.pick(faults)(body, random)
}

const declares = ({ signals }: Json, key: string) => (signals as Json[]).some(signal => signal['key'] === key)

function faultsOf(name: string, body: Json, template: KnownTemplate | undefined): readonly Fault[] {
  // The faults refer to the signal `probe`, so they need a Template that declares it.
  if (name === 'POST /v3/workspaces/{workspace}/templates') return declares(body, 'probe') ? templateFaults : []
  if (name.endsWith('{resource}/observations') && name.startsWith('POST')) return observationFaults
  if (name === 'POST /in/{token}') return observationFaults
  if (template === undefined) return []
  if (name === 'POST /v3/workspaces/{workspace}/resources')
    return [labelFault(wrongOfResource), labelFault([{ a: null }]), metaFault(template)]
  if (name === 'PATCH /v3/workspaces/{workspace}/resources/{resource}') return [labelFault(wrongOfResource), metaFault(template)]
  return []
}
