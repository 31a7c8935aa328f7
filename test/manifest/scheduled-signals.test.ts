// Scheduled signals of Templates: what is accepted, each refusal with its dotted path, the answers that a schedule refuses, and how it is
// answered. Reference: docs/reference/v3.md, 3.24 and 4.17.
import t from 'tap'
import type { Template } from '#shared/contracts/resources/template.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { unnoticedSilence } from '#shared/manifest/decision-reads.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { templateObject } from '../../services/gateway/v3/templates/template-object.ts'

type Json = Record<string, unknown>

const context = { systemKeys: new Set<string>(), destinations: [] }
const daily = { period_seconds: 86_400, grace_seconds: 3_600 }
const missed = { signal: 'run', field: 'missed' }

const nightly = (schedule: unknown = daily, more: { signal?: Json; decision?: Json; fields?: Json[] } = {}): Json => ({
  ...{ key: 'nightly', version: 1, name: 'Nightly', fields: more.fields ?? [] },
  signals: [{ key: 'run', kind: 'schedule', schedule, ...more.signal }],
  rules: [{ key: 'gone', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 }, decision: more.decision ?? missed }],
})
const cron = (expression: unknown, more: Json = {}): Json => nightly({ cron: expression, grace_seconds: 60, ...more })

const field = 'signals.0.schedule'
const refusals: [title: string, sent: Json, field: string][] = [
  ['no schedule', nightly(undefined, { signal: { schedule: null } }), field],
  ['every_seconds', nightly(daily, { signal: { every_seconds: 60 } }), 'signals.0.every_seconds'],
  ['neither period nor cron', nightly({ grace_seconds: 60 }), `${field}.period_seconds`],
  ['period and cron', cron('30 2 * * *', { period_seconds: 60 }), `${field}.cron`],
  ['period of 59 s', nightly({ ...daily, period_seconds: 59 }), `${field}.period_seconds`],
  ['grace of 59 s', nightly({ ...daily, grace_seconds: 59 }), `${field}.grace_seconds`],
  ['no grace', nightly({ period_seconds: 60 }), `${field}.grace_seconds`],
  ['zone without cron', nightly({ ...daily, zone: 'UTC' }), `${field}.zone`],
  ['unknown zone', cron('30 2 * * *', { zone: 'Mars/Olympus' }), `${field}.zone`],
  ['OnCalendar', cron('*-*-* 02:30:00'), `${field}.cron`],
  ['never', cron('0 0 30 2 *'), `${field}.cron`],
  ['unknown word of first', nightly({ ...daily, first: 'now' }), `${field}.first`],
  ['field that is not declared', cron({ meta: 'when' }), `${field}.cron.meta`],
  [
    'field of another type',
    { ...cron({ meta: 'when' }), fields: [{ key: 'when', type: 'integer', default: 1 }] },
    `${field}.cron.meta`,
  ],
  [
    'optional field without a default',
    { ...cron({ meta: 'when' }), fields: [{ key: 'when', type: 'string' }] },
    `${field}.cron.meta`,
  ],
  ['known', nightly(daily, { decision: { not: { signal: 'run', field: 'known' } } }), 'rules.0.decision.not.field'],
  ['missed of an event', { ...nightly(), signals: [{ key: 'run', kind: 'event' }] }, 'rules.0.decision.field'],
  ['schedule of an event', { ...nightly(), signals: [{ key: 'run', kind: 'event', schedule: daily }] }, 'signals.0.schedule'],
]

const refusalOf = (read: () => unknown): ManifestRefusal | null => {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof ManifestRefusal) return error
    throw error
  }
}

for (const [title, sent, wanted] of refusals)
  t.test(`refuses a scheduled signal: ${title} (v3 3.24)`, async t => {
    t.equal(refusalOf(() => readManifest(sent, context))?.field, wanted)
  })

t.test('schedule is answered with all five members, and sent again it is the same (v3 3.24)', async t => {
  const read = readManifest(cron('30 2 * * *', { zone: 'Europe/Berlin' }), context)
  const [signal] = templateObject(read, false).signals
  t.same(signal, {
    ...{ key: 'run', kind: 'schedule', every_seconds: null, help: '', states: ['ok', 'problem', 'no_data'] },
    schedule: { period_seconds: null, cron: '30 2 * * *', zone: 'Europe/Berlin', grace_seconds: 60, first: 'wait' },
  })
  const again = readManifest(manifestOf(templateObject(read, false) as never, []), context)
  t.same(again, read)
})

t.test('answers to a schedule are refused by the field that holds them (v3 3.24)', async t => {
  const heartbeat = findSystemTemplate('heartbeat-check') as Template
  const faults: [answers: Json, field: string][] = [
    [{ period: 59 }, 'period'],
    [{ grace: 31_536_001 }, 'grace'],
    [{ expression: '@daily' }, 'expression'],
    [{ expression: '30 2 * * *', zone: 'Nowhere' }, 'zone'],
    [{ first: 'never' }, 'first'],
    [{ fail_words: [''] }, 'fail_words'],
    [{ fail_words: Array.from({ length: 11 }, (_, i) => `${i}`) }, 'fail_words'],
    [{ methods: 'get' }, 'methods'],
  ]
  for (const [answers, wanted] of faults)
    t.equal(refusalOf(() => readAnswers(heartbeat, answers))?.field, wanted, JSON.stringify(answers))
  t.match(readAnswers(heartbeat, {}), { period: 86_400, grace: 3_600, expression: '', zone: 'UTC', first: 'wait' })
})

t.test('warnings name a scheduled signal that no rule reads by missed (v3 4.17)', async t => {
  const failing = { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' }
  const warned = (decision: Json) =>
    unnoticedSilence(readManifest(nightly(daily, { decision }), context)).map(({ signal }) => signal)
  t.same(warned(failing), ['run'])
  t.same(warned({ not: missed }), ['run'])
  t.same(warned({ any: [failing, missed] }), [])
})
