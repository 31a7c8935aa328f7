// Reading of published Templates, as section 3 of docs/reference/v3.md defines: accepted Templates, and each refusal with its kind and
// dotted path.
import t from 'tap'
import type { Template } from '#shared/contracts/resources/template.ts'
import { answersToKeep, holdsOf, readAnswers } from '#shared/manifest/answers.ts'
import { unnoticedSilence } from '#shared/manifest/decision-reads.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { signalsOf } from '#shared/manifest/read-decision.ts'
import { type ManifestContext, readManifest } from '#shared/manifest/read-manifest.ts'

type Json = Record<string, unknown>

const isDown = { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' }
const isHigh = { signal: 'probe', field: 'value', operator: 'gt', operand: 5 }
const rule = { key: 'down', action: 'Restart it', wait: { confirm_after: 60, recover_after: 60 }, decision: isDown }
const manifest = {
  key: 'host',
  version: 1,
  name: 'Host',
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [rule],
}
const context: ManifestContext = {
  systemKeys: new Set(['website-check']),
  destinations: [
    { id: 'd1', name: 'Ops' },
    { id: 'd2', name: 'ops-night' },
    { id: 'd3', name: 'OPS-NIGHT' },
  ],
}

const withRule = (more: Json): Json => ({ ...manifest, rules: [{ ...rule, ...more }] })
const withDecision = (decision: unknown): Json => withRule({ decision })
const withField = (field: Json, more: Json = {}): Json => ({ ...manifest, fields: [{ key: 'limit', ...field }], ...more })
const withSignal = (signal: Json): Json => ({ ...manifest, signals: [{ ...manifest.signals[0], ...signal }] })
const without = (key: string): Json => Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== key))
const text = (characters: number) => 'x'.repeat(characters)
const list = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
const signals = (count: number) => list(count, i => ({ key: `s${i}`, kind: 'event' }))

function outcomeOf(sent: unknown): { kind: string; field: string } | Template {
  try {
    return readManifest(sent, context)
  } catch (error) {
    if (!(error instanceof ManifestRefusal)) throw error
    return { kind: error.kind, field: error.field }
  }
}

const refusals: [rule: string, sent: unknown, kind: 'unreadable' | 'refused', field: string][] = [
  ['v3 1.4 a manifest that is no object', [], 'unreadable', ''],
  ['v3 1.4 an unknown key', { ...manifest, url: 'x' }, 'unreadable', 'url'],
  ['v3 1.4 an unknown key wins over a wrong type before it', { ...manifest, key: 5, url: 'x' }, 'unreadable', 'url'],
  ['v3 1.4 a wrong type wins over a bad value before it', { ...manifest, key: 'Ä', version: '1' }, 'unreadable', 'version'],
  ['v3 1.4 an unknown key of a signal', withSignal({ unit: 's' }), 'unreadable', 'signals.0.unit'],
  ['v3 1.4 a list item of the wrong type', withField({ type: 'enum', options: [1] }), 'unreadable', 'fields.0.options.0'],
  ['v3 1.2 an empty manifest lacks its first member', {}, 'refused', 'key'],
  ['v3 3.1 a key with a capital', { ...manifest, key: 'Host' }, 'refused', 'key'],
  ['v3 3.1 a key of 64 characters', { ...manifest, key: text(64) }, 'refused', 'key'],
  ['v3 3.1 a signal key with @', withSignal({ key: 'a@b' }), 'refused', 'signals.0.key'],
  ['v3 3.1 a signal key twice', { ...manifest, signals: [...manifest.signals, ...manifest.signals] }, 'refused', 'signals.1.key'],
  ['v3 3.1 a rule key twice', { ...manifest, rules: [rule, rule] }, 'refused', 'rules.1.key'],
  ['v3 3.1 a field key with a dot', withField({ key: 'a.b', type: 'string' }), 'refused', 'fields.0.key'],
  ['v3 3.1 a blank name', { ...manifest, name: '  ' }, 'refused', 'name'],
  ['v3 3.1 a name of 101 characters', { ...manifest, name: text(101) }, 'refused', 'name'],
  ['v3 1.12 a name with a control character', { ...manifest, name: 'a\u0007' }, 'refused', 'name'],
  ['v3 3.1 a summary of 501 characters', { ...manifest, summary: text(501) }, 'refused', 'summary'],
  ['v3 3.1 an option of 129 characters', withField({ type: 'enum', options: [text(129)] }), 'refused', 'fields.0.options.0'],
  ['v3 3.1 65 options', withField({ type: 'enum', options: list(65, String) }), 'refused', 'fields.0.options'],
  ['v3 3.2 version 0', { ...manifest, version: 0 }, 'refused', 'version'],
  ['v3 3.2 version 1,000,001', { ...manifest, version: 1_000_001 }, 'refused', 'version'],
  ['v3 3.2 version 1.5', { ...manifest, version: 1.5 }, 'refused', 'version'],
  ['v3 3.2 a system key', { ...manifest, key: 'website-check' }, 'refused', 'key'],
  ['v3 3.3 no version', without('version'), 'refused', 'version'],
  ['v3 3.3 no name', without('name'), 'refused', 'name'],
  ['v3 3.3 no signals', without('signals'), 'refused', 'signals'],
  ['v3 3.3 an empty list of signals', { ...manifest, signals: [] }, 'refused', 'signals'],
  ['v3 3.3 no rules', without('rules'), 'refused', 'rules'],
  ['v3 3.3 17 signals', { ...manifest, signals: signals(17) }, 'refused', 'signals'],
  ['v3 3.3 11 rules', { ...manifest, rules: list(11, i => ({ ...rule, key: `r${i}` })) }, 'refused', 'rules'],
  ['v3 3.3 33 fields', { ...manifest, fields: list(33, i => ({ key: `f${i}`, type: 'string' })) }, 'refused', 'fields'],
  ['v3 3.3 a rule without an action', withRule({ action: null }), 'refused', 'rules.0.action'],
  ['v3 3.3 an action of 201 characters', withRule({ action: text(201) }), 'refused', 'rules.0.action'],
  ['v3 3.3 a rule without a wait', withRule({ wait: undefined }), 'refused', 'rules.0.wait'],
  ['v3 3.3 half a wait', withRule({ wait: { confirm_after: 1 } }), 'refused', 'rules.0.wait.recover_after'],
  ['v3 3.4 a field without a type', withField({}), 'refused', 'fields.0.type'],
  ['v3 3.4 an unknown type', withField({ type: 'colour' }), 'refused', 'fields.0.type'],
  ['v3 3.4 a secret with a default', withField({ type: 'secret', default: 'x' }), 'refused', 'fields.0.default'],
  ['v3 3.4 a URL with user information', withField({ type: 'url', default: 'http://a:b@c/' }), 'refused', 'fields.0.default'],
  [
    'v3 3.4 a Location that stands twice',
    withField({ type: 'location_list', default: ['a', 'a'] }),
    'refused',
    'fields.0.default',
  ],
  ['v3 3.4 min on a text', withField({ type: 'string', min: 1 }), 'refused', 'fields.0.min'],
  ['v3 3.4 max below min', withField({ type: 'integer', min: 2, max: 1 }), 'refused', 'fields.0.max'],
  ['v3 3.4 options on a text', withField({ type: 'string', options: ['a'] }), 'refused', 'fields.0.options'],
  ['v3 3.4 an enum without options', withField({ type: 'enum' }), 'refused', 'fields.0.options'],
  ['v3 3.4 a default of another type', withField({ type: 'integer', default: '1' }), 'refused', 'fields.0.default'],
  ['v3 3.4 a default beyond max', withField({ type: 'integer', max: 1, default: 2 }), 'refused', 'fields.0.default'],
  [
    'v3 3.4 a default that is no option',
    withField({ type: 'enum', options: ['a'], default: 'b' }),
    'refused',
    'fields.0.default',
  ],
  ...flappingRows(),
  [
    'v3 3.5 a wait by an unknown field',
    withRule({ wait: { confirm_after: { meta: 'x' }, recover_after: 0 } }),
    'refused',
    'rules.0.wait.confirm_after.meta',
  ],
  [
    'v3 3.5 a wait of 31,536,001 s',
    withRule({ wait: { confirm_after: 31_536_001, recover_after: 0 } }),
    'refused',
    'rules.0.wait.confirm_after',
  ],
  ['v3 3.5 a wait below 0', withRule({ wait: { confirm_after: 0, recover_after: -1 } }), 'refused', 'rules.0.wait.recover_after'],
  [
    'v3 3.5 an operand by a field without a value',
    withField({ type: 'number' }, { rules: [{ ...rule, decision: { ...isHigh, operand: { meta: 'limit' } } }] }),
    'refused',
    'rules.0.decision.operand',
  ],
  [
    'v3 3.5 an operand by a text field',
    withField({ type: 'string', required: true }, { rules: [{ ...rule, decision: { ...isHigh, operand: { meta: 'limit' } } }] }),
    'refused',
    'rules.0.decision.operand',
  ],
  [
    'v3 3.5 a wait by a field of fractions',
    withField(
      { type: 'number', default: 1 },
      { rules: [{ ...rule, wait: { confirm_after: { meta: 'limit' }, recover_after: 0 } }] },
    ),
    'refused',
    'rules.0.wait.confirm_after.meta',
  ],
  ['v3 3.7 a heartbeat without every_seconds', withSignal({ every_seconds: null }), 'refused', 'signals.0.every_seconds'],
  ['v3 3.7 an event with every_seconds', withSignal({ kind: 'event' }), 'refused', 'signals.0.every_seconds'],
  ['v3 3.7 every_seconds 9', withSignal({ every_seconds: 9 }), 'refused', 'signals.0.every_seconds'],
  ['v3 3.7 every_seconds 86,401', withSignal({ every_seconds: 86_401 }), 'refused', 'signals.0.every_seconds'],
  ['v3 3.7 an unknown kind', withSignal({ kind: 'gauge' }), 'refused', 'signals.0.kind'],
  ['v3 3.8 an empty decision', withDecision({}), 'refused', 'rules.0.decision.signal'],
  ['v3 3.8 a decision that is a text', withDecision('down'), 'unreadable', 'rules.0.decision'],
  [
    'v3 3.8 a node of two kinds',
    withDecision({ all: [isDown, isHigh], any: [isDown, isHigh] }),
    'unreadable',
    'rules.0.decision.any',
  ],
  [
    'v3 3.8 a count on a status',
    withDecision({ ...isDown, min_count: 2, within_seconds: 60 }),
    'unreadable',
    'rules.0.decision.min_count',
  ],
  [
    'v3 3.8 an operator on known',
    withDecision({ signal: 'probe', field: 'known', operator: 'eq' }),
    'unreadable',
    'rules.0.decision.operator',
  ],
  ['v3 3.8 all of one', withDecision({ all: [isDown] }), 'refused', 'rules.0.decision.all'],
  ['v3 3.8 an unknown field of a comparison', withDecision({ ...isDown, field: 'latency' }), 'refused', 'rules.0.decision.field'],
  [
    'v3 3.8 an unknown signal deep within',
    withDecision({ all: [isDown, { not: { ...isDown, signal: 'x' } }] }),
    'refused',
    'rules.0.decision.all.1.not.signal',
  ],
  ['v3 3.8 a status above another', withDecision({ ...isDown, operator: 'gt' }), 'refused', 'rules.0.decision.operator'],
  [
    'v3 3.8 a status compared with no_data',
    withDecision({ ...isDown, operand: 'no_data' }),
    'refused',
    'rules.0.decision.operand',
  ],
  [
    'v3 3.8 a value compared with a text',
    withDecision({ all: [isDown, { ...isHigh, operand: '5' }] }),
    'refused',
    'rules.0.decision.all.1.operand',
  ],
  ['v3 3.8 an operand that is a list', withDecision({ ...isHigh, operand: [5] }), 'unreadable', 'rules.0.decision.operand'],
  ['v3 3.8 min_count alone', withDecision({ ...isHigh, min_count: 2 }), 'refused', 'rules.0.decision.within_seconds'],
  ['v3 3.8 within_seconds alone', withDecision({ ...isHigh, within_seconds: 60 }), 'refused', 'rules.0.decision.min_count'],
  [
    'v3 3.8 min_count 101',
    withDecision({ ...isHigh, min_count: 101, within_seconds: 60 }),
    'refused',
    'rules.0.decision.min_count',
  ],
  [
    'v3 3.8 within_seconds 59',
    withDecision({ ...isHigh, min_count: 2, within_seconds: 59 }),
    'refused',
    'rules.0.decision.within_seconds',
  ],
  [
    'v3 3.8 known within 86,401 s',
    withDecision({ signal: 'probe', field: 'known', within_seconds: 86_401 }),
    'refused',
    'rules.0.decision.within_seconds',
  ],
  [
    'v3 3.8 a baseline beside a count',
    withDecision({ ...isHigh, min_count: 2, within_seconds: 60, baseline: { days: 1, min_samples: 1 } }),
    'refused',
    'rules.0.decision.baseline',
  ],
  [
    'v3 3.8 a baseline of 31 days',
    withDecision({ ...isHigh, baseline: { days: 31, min_samples: 1 } }),
    'refused',
    'rules.0.decision.baseline.days',
  ],
  [
    'v3 3.8 a baseline of 10,001 samples',
    withDecision({ ...isHigh, baseline: { days: 1, min_samples: 10_001 } }),
    'refused',
    'rules.0.decision.baseline.min_samples',
  ],
  [
    'v3 3.8 a baseline operand of 0',
    withDecision({ ...isHigh, operand: 0, baseline: { days: 1, min_samples: 1 } }),
    'refused',
    'rules.0.decision.operand',
  ],
  [
    'v3 3.8 a baseline operand of 101',
    withDecision({ ...isHigh, operand: 101, baseline: { days: 1, min_samples: 1 } }),
    'refused',
    'rules.0.decision.operand',
  ],
  [
    'v3 3.8 five nodes deep',
    withDecision({ not: { not: { not: { not: isDown } } } }),
    'refused',
    'rules.0.decision.not.not.not.not',
  ],
  [
    'v3 3.8 17 comparisons',
    withDecision({ all: list(2, () => ({ any: list(9, () => isDown) })) }),
    'refused',
    'rules.0.decision',
  ],
  ['v3 3.8 min_known 0', withDecision({ all_known: [isDown, isHigh], min_known: 0 }), 'refused', 'rules.0.decision.min_known'],
  [
    'v3 3.8 min_known beyond the comparisons',
    withDecision({ any_known: [isDown, isHigh], min_known: 3 }),
    'refused',
    'rules.0.decision.min_known',
  ],
  [
    'v3 3.8 known inside all_known',
    withDecision({ all_known: [isDown, { signal: 'probe', field: 'known' }], min_known: 1 }),
    'refused',
    'rules.0.decision.all_known.1.field',
  ],
  [
    'v3 3.8 a node inside any_known',
    withDecision({ any_known: [isDown, { not: isDown }], min_known: 1 }),
    'unreadable',
    'rules.0.decision.any_known.1.not',
  ],
  ['v3 3.9 a destination and routes', withRule({ destination: 'd1', routes: [] }), 'refused', 'rules.0.routes'],
  ['v3 3.9 an unknown destination', withRule({ destination: 'd9' }), 'refused', 'rules.0.destination'],
  ['v3 3.9 an unknown name', withRule({ destination: { name: 'Nobody' } }), 'refused', 'rules.0.destination'],
  ['v3 3.9 a name that fits two', withRule({ destination: { name: 'Ops-Night' } }), 'refused', 'rules.0.destination'],
  ['v3 3.9 an empty on', withRule({ routes: [{ destination: 'd1', on: [] }] }), 'refused', 'rules.0.routes.0.on'],
  [
    'v3 3.9 a destination in two routes',
    withRule({ routes: [{ destination: 'd1' }, { destination: { name: 'ops' } }] }),
    'refused',
    'rules.0.routes.1.destination',
  ],
  ['v3 3.9 11 routes', withRule({ routes: list(11, () => ({ destination: 'd1' })) }), 'refused', 'rules.0.routes'],
  [
    'v3 3.9 a route that waits with an opening',
    withRule({ routes: [{ destination: 'd1', on: ['opened', 'problem'], after_minutes: 5 }] }),
    'refused',
    'rules.0.routes.0.after_minutes',
  ],
  [
    'v3 3.9 a route that waits without a problem',
    withRule({ routes: [{ destination: 'd1', on: ['recovery'], after_minutes: 5 }] }),
    'refused',
    'rules.0.routes.0.after_minutes',
  ],
  ...[-1, 1_441, 0.5].map((minutes): (typeof refusals)[number] => [
    `v3 3.9 ${minutes} minutes`,
    withRule({ routes: [{ destination: 'd1', after_minutes: minutes }] }),
    'refused',
    'rules.0.routes.0.after_minutes',
  ]),
  ['v3 4.16 an unknown word for an unknown result', withRule({ unknown: 'problem' }), 'refused', 'rules.0.unknown'],
  [
    'v3 3.9 an unknown transition',
    withRule({ routes: [{ destination: 'd1', on: ['closed'] }] }),
    'refused',
    'rules.0.routes.0.on.0',
  ],
]

for (const [title, sent, kind, field] of refusals) {
  t.test(`${title} is ${kind} at ${field || 'the top'}`, t => {
    t.strictSame(outcomeOf(sent), { kind, field })
    t.end()
  })
}

const accepted: [rule: string, sent: unknown][] = [
  ['v3 3.1 a key of 63 characters', { ...manifest, key: text(63) }],
  ['v3 3.1 a name of 100 characters between blanks', { ...manifest, name: ` ${text(100)} ` }],
  ['v3 3.2 version 1,000,000', { ...manifest, version: 1_000_000 }],
  [
    'v3 3.3 10 rules, 16 signals, 32 fields',
    {
      ...manifest,
      signals: [...manifest.signals, ...signals(15)],
      rules: list(10, i => ({ ...rule, key: `r${i}` })),
      fields: list(32, i => ({ key: `f${i}`, type: 'string' })),
    },
  ],
  [
    'v3 3.5 a wait by a duration with a default',
    withField(
      { type: 'duration', default: 60 },
      { rules: [{ ...rule, wait: { confirm_after: { meta: 'limit' }, recover_after: 0 } }] },
    ),
  ],
  ['v3 3.7 every_seconds 10', withSignal({ every_seconds: 10 })],
  ['v3 3.7 every_seconds 86,400', withSignal({ every_seconds: 86_400 })],
  ['v3 3.7 a null every_seconds of an event', withSignal({ kind: 'event', every_seconds: null })],
  ['v3 3.8 four nodes deep', withDecision({ not: { not: { not: isDown } } })],
  ['v3 3.8 16 comparisons', withDecision({ all: list(2, () => ({ any: list(8, () => isDown) })) })],
  ['v3 3.8 a baseline operand of 100', withDecision({ ...isHigh, operand: 100, baseline: { days: 30, min_samples: 10_000 } })],
  ['v3 3.8 a count of 100 within a day', withDecision({ ...isHigh, min_count: 100, within_seconds: 86_400 })],
  [
    'v3 3.8 counted comparisons inside all_known',
    withDecision({ all_known: [isDown, { ...isHigh, min_count: 1, within_seconds: 60 }], min_known: 2 }),
  ],
  ...[0, 1_440].map((minutes): (typeof accepted)[number] => [
    `v3 3.9 a route that waits ${minutes} minutes`,
    withRule({ routes: [{ destination: 'd1', on: ['no_data', 'acknowledged'], after_minutes: minutes }] }),
  ]),
  ['v3 3.9 a null destination beside routes', withRule({ destination: null, routes: [{ destination: 'd1' }] })],
]

for (const [title, sent] of accepted) {
  t.test(`${title} is accepted`, t => {
    t.notOk('kind' in outcomeOf(sent), JSON.stringify(outcomeOf(sent)))
    t.end()
  })
}

t.test('Template is read with every default (v3 3.6)', t => {
  const sent = {
    ...manifest,
    name: ' Host ',
    fields: [{ key: 'limit', type: 'number', default: 5, min: 0 }],
    rules: [
      {
        ...rule,
        decision: { any: [isDown, { ...isHigh, operand: { meta: 'limit' } }] },
        routes: [{ destination: { name: 'OPS' } }],
      },
    ],
  }
  t.strictSame(readManifest(sent, context), {
    key: 'host',
    version: 1,
    name: 'Host',
    summary: '',
    fields: [
      {
        key: 'limit',
        label: 'limit',
        help: '',
        type: 'number',
        required: false,
        default: 5,
        options: [],
        min: 0,
        max: null,
        secret: false,
      },
    ],
    signals: [{ key: 'probe', kind: 'heartbeat', everySeconds: 60, help: '' }],
    rules: [
      {
        key: 'down',
        action: 'Restart it',
        help: '',
        wait: { confirmAfter: 60, recoverAfter: 60 },
        decision: sent.rules[0]?.decision,
        destination: null,
        routes: [{ destination: 'd1', on: ['problem', 'no_data', 'recovery'] }],
      },
    ],
  })
  t.strictSame(signalsOf(sent.rules[0]?.decision as never), ['probe'], 'each signal once')
  t.end()
})

function flappingRows(): [string, Json, 'unreadable' | 'refused', string][] {
  const place = 'rules.0.wait.flapping'
  const counting = (flapping: unknown) => withRule({ wait: { confirm_after: 0, recover_after: 0, flapping } })
  return [
    ['v3 3.13 flapping that is a number', counting(12), 'unreadable', place],
    ['v3 3.13 flapping without changes', counting({ within_seconds: 600 }), 'refused', `${place}.changes`],
    ['v3 3.13 flapping without a time', counting({ changes: 12 }), 'refused', `${place}.within_seconds`],
    ['v3 3.13 flapping of 2 changes', counting({ changes: 2, within_seconds: 600 }), 'refused', `${place}.changes`],
    ['v3 3.13 flapping of 101 changes', counting({ changes: 101, within_seconds: 600 }), 'refused', `${place}.changes`],
    ['v3 3.13 flapping within 59 s', counting({ changes: 3, within_seconds: 59 }), 'refused', `${place}.within_seconds`],
    ['v3 3.13 flapping within 86,401 s', counting({ changes: 3, within_seconds: 86_401 }), 'refused', `${place}.within_seconds`],
    [
      'v3 3.13 changes by a field',
      counting({ changes: { meta: 'limit' }, within_seconds: 60 }),
      'unreadable',
      `${place}.changes`,
    ],
    ['v3 3.13 a part of a change', counting({ changes: 3.5, within_seconds: 60 }), 'refused', `${place}.changes`],
    ['v3 3.13 an unknown key', counting({ changes: 3, within_seconds: 60, holds: 1 }), 'unreadable', `${place}.holds`],
  ]
}

t.test('wait has `flapping` only if it was sent (v3 3.13)', t => {
  const waitOf = (wait: object) => readManifest(withRule({ wait }), context).rules[0]?.wait
  const sent = { confirm_after: 1, recover_after: 2 }
  const read = { confirmAfter: 1, recoverAfter: 2 }
  t.strictSame(waitOf(sent), read)
  t.strictSame(waitOf({ ...sent, flapping: null }), read)
  t.strictSame(waitOf({ ...sent, flapping: { changes: 12, within_seconds: 600 } }), {
    ...read,
    flapping: { changes: 12, withinSeconds: 600 },
  })
  t.end()
})

t.test('references stay as sent when destinations are unknown (v3 3.9)', t => {
  const offline = { ...context, destinations: null }
  t.equal(readManifest(withRule({ destination: { name: 'Nobody' } }), offline).rules[0]?.destination, 'Nobody')
  t.end()
})

const template = readManifest(
  {
    ...manifest,
    fields: [
      { key: 'text', type: 'string' },
      { key: 'count', type: 'integer', min: 1, max: 3, default: 2 },
      { key: 'load', type: 'number', required: true },
      { key: 'hold', type: 'duration', default: 60 },
      { key: 'on', type: 'boolean' },
      { key: 'tier', type: 'enum', options: ['gold', 'tin'] },
      { key: 'tags', type: 'string_list' },
      { key: 'codes', type: 'integer_list' },
    ],
    rules: [
      {
        ...rule,
        wait: { confirm_after: { meta: 'hold' }, recover_after: 5 },
        decision: { ...isHigh, operand: { meta: 'load' }, baseline: { days: 1, min_samples: 1 } },
      },
    ],
  },
  context,
)

t.test('absent `meta` values take their defaults, and each refusal names the field (v3 6.2)', t => {
  t.strictSame(readAnswers(template, { load: 0.5 }), { count: 2, load: 0.5, hold: 60 })
  t.strictSame(holdsOf(template.rules[0] as never, readAnswers(template, { load: 1, hold: 7 })), {
    confirmAfterMs: 7_000,
    closeAfterMs: 5_000,
  })
  const rows: [sent: Json, field: string][] = [
    [{}, 'load'],
    [{ load: null }, 'load'],
    [{ load: 1, other: 1 }, 'other'],
    [{ load: '1' }, 'load'],
    [{ load: 1, text: text(1_025) }, 'text'],
    [{ load: 1, text: 'two\nlines' }, 'text'],
    [{ load: 1, count: 0 }, 'count'],
    [{ load: 1, count: 4 }, 'count'],
    [{ load: 1, count: 1.5 }, 'count'],
    [{ load: 1, hold: -1 }, 'hold'],
    [{ load: 1, hold: 31_536_001 }, 'hold'],
    [{ load: 1, on: 'true' }, 'on'],
    [{ load: 1, tier: 'iron' }, 'tier'],
    [{ load: 1, tags: list(101, String) }, 'tags'],
    [{ load: 1, tags: [text(257)] }, 'tags'],
    [{ load: 1, codes: ['1'] }, 'codes'],
    [{ load: 0 }, 'load'],
    [{ load: 100.5 }, 'load'],
  ]
  for (const [sent, field] of rows) {
    t.throws(
      () => readAnswers(template, sent),
      { name: 'ManifestRefusal', kind: 'refused', field },
      JSON.stringify(sent).slice(0, 60),
    )
  }
  const fullest = {
    load: 100,
    text: text(1_024),
    count: 3,
    hold: 31_536_000,
    tags: list(100, () => text(256)),
    codes: list(100, i => i),
  }
  t.strictSame(readAnswers(template, fullest), fullest, 'at each bound')
  t.end()
})

t.test('`meta` value sent as null takes its default, and unsent `meta` values stay (v3 6.3)', t => {
  const present = { load: 1, count: 3, text: 'a' }
  t.strictSame(readAnswers(template, { count: null, text: null }, present), { load: 1, count: 2, hold: 60 })
  t.end()
})

t.test('rebind keeps a `meta` value when both revisions declare its field and the new revision accepts it (v3 6.5)', t => {
  t.strictSame(answersToKeep({ load: 1, count: 9, gone: 'x', tier: 'tin' }, template), { load: 1, tier: 'tin' })
  t.end()
})

t.test('preview warns of each signal whose silence no rule notices (v3 3.11)', t => {
  const known = { signal: 'probe', field: 'known' }
  const rows: [decision: unknown, warned: string[]][] = [
    [isDown, ['probe']],
    [{ not: known }, []],
    [{ all: [known, isDown] }, ['probe']],
    [{ any: [isDown, { not: { all: [known, isHigh] } }] }, []],
    [{ not: { not: known } }, ['probe']],
  ]
  for (const [decision, warned] of rows) {
    const read = readManifest(withDecision(decision), context)
    t.strictSame(
      unnoticedSilence(read).map(({ signal }) => signal),
      warned,
      JSON.stringify(decision),
    )
  }
  t.strictSame(
    unnoticedSilence(readManifest(withSignal({ kind: 'event', every_seconds: null }), context)),
    [],
    'an event never goes quiet',
  )
  t.end()
})
