// Signals of Templates that probers check: what is accepted, each refusal with its kind and dotted path, and the answers that the checks
// refuse. Reference: docs/reference/v3.md, 3.21.
import t from 'tap'
import type { Template } from '#shared/contracts/resources/template.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { checksOf } from '#shared/manifest/check-options.ts'
import { unnoticedSilence } from '#shared/manifest/decision-reads.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { templateObject } from '../../services/gateway/v3/templates/template-object.ts'
import { shop } from '../keeper/resources/shop.ts'

type Json = Record<string, unknown>

const context = { systemKeys: new Set<string>(), destinations: [] }
const [page] = shop.signals as Json[] as [Json, ...Json[]]
const [down] = shop.rules as Json[] as [Json, ...Json[]]
const small = { ...shop, signals: [page], rules: [down] }
const withPage = (more: Json): Json => ({ ...small, signals: [{ ...page, ...more }] })
const withCheck = (check: Json): Json => withPage({ check })
const withFields = (fields: Json[], check: Json): Json => ({ ...withCheck(check), fields: [...shop.fields, ...fields] })
const tcp = { type: 'tcp', host: 'shop.example', port: 443 }

const refusals: [title: string, sent: unknown, kind: 'unreadable' | 'refused', field: string][] = [
  ['an unknown kind', withCheck({ type: 'gopher' }), 'refused', 'signals.0.check.type'],
  ['a superseded kind', withCheck({ type: 'website', url: 'http://a.example/' }), 'refused', 'signals.0.check.type'],
  ['no type', withCheck({}), 'refused', 'signals.0.check.type'],
  ['an unknown option', withCheck({ ...tcp, path: '/' }), 'unreadable', 'signals.0.check.path'],
  ['a missing option', withCheck({ type: 'tcp', host: 'shop.example' }), 'refused', 'signals.0.check.port'],
  ['a bad literal', withCheck({ ...tcp, port: 70_000 }), 'refused', 'signals.0.check.port'],
  ['a literal of another type', withCheck({ ...tcp, port: '443' }), 'refused', 'signals.0.check.port'],
  ['a field that is not declared', withCheck({ ...tcp, port: { meta: 'gate' } }), 'refused', 'signals.0.check.port.meta'],
  ['a field of another type', withCheck({ ...tcp, port: { meta: 'host' } }), 'refused', 'signals.0.check.port.meta'],
  [
    'an optional field without a default',
    withFields([{ key: 'gate', type: 'integer' }], { ...tcp, port: { meta: 'gate' } }),
    'refused',
    'signals.0.check.port.meta',
  ],
  ['a secret in a plain option', withCheck({ ...tcp, host: { meta: 'hello' } }), 'refused', 'signals.0.check.host.meta'],
  ['a text field for a URL', withCheck({ type: 'http', url: { meta: 'host' } }), 'refused', 'signals.0.check.url.meta'],
  [
    'a password in the Template',
    withCheck({ type: 'http', url: 'http://a.example/', bearer: 'x' }),
    'refused',
    'signals.0.check.bearer',
  ],
  [
    'options that exclude each other',
    withCheck({ type: 'http', url: 'http://a.example/', method: 'HEAD', contains: 'x' }),
    'refused',
    'signals.0.check.contains',
  ],
  ['no check', withPage({ check: undefined }), 'refused', 'signals.0.check'],
  ['no every_seconds', withPage({ every_seconds: undefined }), 'refused', 'signals.0.every_seconds'],
  ['every_seconds 9', withPage({ every_seconds: 9 }), 'refused', 'signals.0.every_seconds'],
  ['every_seconds of a number', withPage({ every_seconds: { meta: 'slow_ms' } }), 'refused', 'signals.0.every_seconds.meta'],
  ['no locations', withPage({ locations: undefined }), 'refused', 'signals.0.locations'],
  ['a list of locations', withPage({ locations: ['aaaa'] }), 'unreadable', 'signals.0.locations'],
  ['locations of another type', withPage({ locations: { meta: 'host' } }), 'refused', 'signals.0.locations.meta'],
  ['an unknown agreement', withPage({ agreement: 'most' }), 'refused', 'signals.0.agreement'],
  ['an agreement of another field', withPage({ agreement: { meta: 'host' } }), 'refused', 'signals.0.agreement.meta'],
  ['a check of a heartbeat', { ...small, signals: [{ ...page, kind: 'heartbeat' }] }, 'refused', 'signals.0.check'],
  [
    'a heartbeat whose seconds a field states',
    { ...small, signals: [page, { key: 'b', kind: 'heartbeat', every_seconds: { meta: 'every' } }] },
    'refused',
    'signals.1.every_seconds',
  ],
  [
    'a ninth check',
    { ...small, signals: Array.from({ length: 9 }, (_, i) => ({ ...page, key: i === 0 ? 'page' : `p${i}` })) },
    'refused',
    'signals.8.kind',
  ],
  [
    'a comparison at one location',
    { ...small, rules: [{ ...down, decision: { signal: 'page@aaaa', field: 'status', operator: 'eq', operand: 'ok' } }] },
    'refused',
    'rules.0.decision.signal',
  ],
  [
    'a counted comparison',
    {
      ...small,
      rules: [
        { ...down, decision: { signal: 'page', field: 'value', operator: 'gt', operand: 1, min_count: 2, within_seconds: 60 } },
      ],
    },
    'refused',
    'rules.0.decision.min_count',
  ],
  [
    'a baseline',
    {
      ...small,
      rules: [
        {
          ...down,
          decision: { signal: 'page', field: 'value', operator: 'gt', operand: 1, baseline: { days: 1, min_samples: 1 } },
        },
      ],
    },
    'refused',
    'rules.0.decision.baseline',
  ],
]

for (const [title, sent, kind, field] of refusals) {
  t.test(`v3 3.21 ${title} is ${kind} at ${field}`, t => {
    try {
      readManifest(sent, context)
      t.fail('it was accepted')
    } catch (error) {
      if (!(error instanceof ManifestRefusal)) throw error
      t.strictSame({ kind: error.kind, field: error.field }, { kind, field }, error.message)
    }
    t.end()
  })
}

t.test('v3 3.21 a check is answered as it was published, with the agreement, and its manifest reads back the same', t => {
  const template = readManifest(shop, context)
  const { signals } = templateObject(template, false)
  t.strictSame(signals[0], {
    key: 'page',
    kind: 'check',
    every_seconds: null,
    help: '',
    states: ['ok', 'problem'],
    every: { meta: 'every' },
    check: { type: 'tcp', host: { meta: 'host' }, port: { meta: 'port' }, send: { meta: 'hello' } },
    locations: { meta: 'places' },
    agreement: { meta: 'needed' },
  })
  t.match(signals[1], { every_seconds: 300, agreement: 'all', every: undefined })
  t.strictSame(signals[2], { key: 'till', kind: 'event', every_seconds: null, help: '', states: ['ok', 'problem', 'no_data'] })
  t.strictSame(readManifest(manifestOf(templateObject(template, false) as never, []), context), template)
  t.strictSame(readManifest(withPage({ every_seconds: undefined, every: { meta: 'every' } }), context).signals, [
    template.signals[0],
  ])
  t.match(readManifest(withPage({ agreement: undefined }), context).signals, [{ agreement: 'any' }])
  t.end()
})

const answers = { host: 'shop.example', places: ['aaaa'] }

t.test('v3 3.21 options are literals and answers; an option without an answer is absent', t => {
  const template = readManifest(shop, context)
  const read = readAnswers(template, { ...answers, needed: 'at_least_one' })
  t.match(checksOf(template, read), [
    { signal: 'page', everySeconds: 60, agreement: 'any', locations: ['aaaa'], options: { host: 'shop.example', port: 443 } },
    { signal: 'name', everySeconds: 300, agreement: 'all', options: { name: 'shop.example' } },
  ])
  t.notOk('send' in (checksOf(template, read)[0]?.options ?? {}))
  t.end()
})

t.test('v3 3.21 a literal body may stand in a Template, and a text field may give it', t => {
  const http = { type: 'http', url: 'http://a.example/', method: 'POST' }
  const literal = readManifest(withCheck({ ...http, body: '{}' }), context)
  t.match(checksOf(literal, readAnswers(literal, answers)), [{ options: { body: '{}' } }])
  const field = readManifest(withFields([{ key: 'sent', type: 'text' }], { ...http, body: { meta: 'sent' } }), context)
  t.match(checksOf(field, readAnswers(field, { ...answers, sent: 'a\nb' })), [{ options: { body: 'a\nb' } }])
  t.end()
})

t.test('v3 3.21 a fault between options names the field of the option, or the first field that the check reads', t => {
  const http = { type: 'http', url: { meta: 'url' }, method: 'HEAD' }
  const fields = [
    { key: 'url', type: 'url', required: true },
    { key: 'text', type: 'string' },
  ]
  const faultOf = (check: Json, sent: Json) => {
    const template: Template = readManifest(withFields(fields, { ...http, ...check }), context)
    try {
      readAnswers(template, { ...answers, url: 'http://a.example/', ...sent })
      return null
    } catch (error) {
      return (error as ManifestRefusal).field
    }
  }
  t.equal(faultOf({ contains: { meta: 'text' } }, { text: 'x' }), 'text')
  t.equal(faultOf({ contains: { meta: 'text' } }, {}), null)
  t.equal(faultOf({ contains: 'x' }, {}), 'url')
  t.equal(faultOf({}, { url: 'ftp://a.example/' }), 'url')
  t.end()
})

t.test('v3 4.16 only a rule whose unknown result is no data says so, and no silence is left unnoticed', t => {
  const rules = [{ ...down, unknown: 'no_data' }]
  const template = readManifest({ ...small, rules }, context)
  t.match(templateObject(template, false).rules, [{ unknown: 'no_data' }])
  t.strictSame(readManifest(manifestOf(templateObject(template, false) as never, []), context), template)
  t.strictSame(unnoticedSilence(template), [])
  const holding = readManifest({ ...small, rules: [{ ...down, unknown: 'hold' }] }, context)
  t.strictSame(holding, readManifest(small, context))
  t.notOk('unknown' in (templateObject(holding, false).rules[0] as object))
  t.match(unnoticedSilence(holding), [{ signal: 'page' }])
  t.end()
})
