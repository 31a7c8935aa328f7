// The explanation of an Incident: its parts, its bound of 16 KiB for any Incident, and the order in which parts are cut.
import fc from 'fast-check'
import t from 'tap'
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import type { Delivery, Incident, Resource, Template } from '../../services/mcp/explain/api-objects.ts'
import { explainIncident } from '../../services/mcp/explain/explain-incident.ts'
import { bounded, explanationOf, type Parts } from '../../services/mcp/explain/explanation.ts'

const at = (i: number) => new Date(Date.UTC(2026, 9, 5) + i * 1_000).toISOString()

const incident = (over: Partial<Incident> = {}): Incident => ({
  id: 'i1',
  resource: { id: 'r1', key: 'db1', name: 'Disk of db1' },
  rule: 'full',
  lifecycle: 'open',
  confirmation: 'confirmed',
  condition: 'problem',
  cause: null,
  explanation: 'disk 93',
  closed_reason: null,
  opened_at: at(0),
  confirmed_at: at(1),
  closed_at: null,
  effective_at: at(1),
  acknowledgement: null,
  action: 'Empty it.',
  history: [
    { at: at(0), kind: 'opened', evidence: { inputs: [{ signal: 'disk', value: 91 }], omitted: 0, truncated: false } },
    { at: at(1), kind: 'confirmed', evidence: { inputs: [{ signal: 'disk', value: 93 }], omitted: 0, truncated: false } },
    { at: at(2), kind: 'closed', evidence: null },
  ],
  next: { what: 'remind', at: at(9) },
  path: [{ state: 'pending', at: at(0), event: 'problem.judged' }],
  path_omitted: 0,
  ...over,
})
const resource = (over: Partial<Resource> = {}): Resource => ({ template: 'host@1', meta: {}, maintenance: null, ...over })
const decision = {
  any: [
    { signal: 'disk', field: 'value', operator: 'gt', operand: { meta: 'most' } },
    { not: { signal: 'disk', field: 'known' } },
  ],
}
const template: Template = {
  id: 'host@1',
  rules: [
    { key: 'other', signals: [], help: '', action: null, wait: {}, decision: null },
    {
      key: 'full',
      signals: ['disk'],
      help: '',
      action: null,
      wait: { confirm_after: { meta: 'delay' }, recover_after: 0 },
      decision,
    },
  ],
}
const delivery = (over: Partial<Delivery>): Delivery => ({
  at: at(5),
  destination: 'On call',
  event: 'problem',
  status: 'delivered',
  reason: null,
  ...over,
})
const parts = (over: Partial<Parts> = {}): Parts => ({
  incident: incident(),
  resource: resource(),
  template,
  deliveries: [],
  hasOlderDeliveries: false,
  ...over,
})

const fullSize = ({ explanation, text }: ReturnType<typeof bounded>) =>
  Buffer.byteLength(JSON.stringify({ result: explanation })) + Buffer.byteLength(text)

t.test('explanation has the newest evidence, and the rule with the `meta` values that decide', async t => {
  const explanation = explanationOf(parts({ resource: resource({ meta: { most: 90, delay: 60, secret: 'x' } }) }))
  t.strictSame(explanation.evidence?.inputs, [{ signal: 'disk', value: 93 }])
  t.match(explanation.rule, { key: 'full', template: 'host@1', decision })
  t.strictSame(explanation.rule?.meta, { most: 90, delay: 60 })
  t.notOk('history' in explanation.incident)
  t.equal(explanationOf(parts({ template: null })).rule, null)
})

t.test('explanation of a website monitor has the `meta` values that affect the verdict, but not the website URL', async t => {
  const website = { id: 'website-check@1', rules: [{ ...template.rules[1]!, decision: null }] }
  const meta = { url: 'https://example.org/', data: 'x', failure_mode: 'all', locations: ['a'] }
  const { rule } = explanationOf(parts({ template: website, resource: resource({ meta }) }))
  t.strictSame(rule?.meta, { failure_mode: 'all', locations: ['a'] })
})

t.test('explanation lists who was notified, and a failed attempt until a later attempt succeeds', async t => {
  const deliveries = [
    delivery({ at: at(9), destination: 'Pager', status: 'failed', reason: 'http_500' }),
    delivery({ at: at(8), destination: 'Second', status: 'held', reason: 'maintenance' }),
    delivery({ at: at(7) }),
    delivery({ at: at(6), status: 'failed', reason: 'unreachable' }),
    delivery({ at: at(5), destination: 'Pager', status: 'failed', reason: 'http_500' }),
    delivery({ at: at(4), destination: null, status: 'held', reason: 'no_destination', event: 'reminder' }),
  ]
  const { told, not_told } = explanationOf(parts({ deliveries }))
  t.strictSame(told, [{ destination: 'On call', event: 'problem', reason: null, at: at(7), times: 1 }])
  t.strictSame(not_told, [
    { destination: 'Pager', event: 'problem', reason: 'http_500', at: at(9), times: 2 },
    { destination: 'Second', event: 'problem', reason: 'maintenance', at: at(8), times: 1 },
    { destination: null, event: 'reminder', reason: 'no_destination', at: at(4), times: 1 },
  ])
})

t.test('text of an explanation states the reason, the recipients and the next step', async t => {
  const textOf = (over: Partial<Parts>) => bounded(explanationOf(parts(over))).text
  t.equal(
    textOf({ deliveries: [delivery({}), delivery({ destination: 'Pager', status: 'held', reason: 'maintenance' })] }),
    `Disk of db1 (db1) has an Incident of the rule full open since ${at(0)}, confirmed at ${at(1)}, and its rule finds a problem: disk 93. Told: On call (problem); not told: Pager (problem: maintenance); nobody has taken it on. The next reminder is due at ${at(9)}; its rule asks for: Empty it.`,
  )
  const opening = incident({
    confirmed_at: null,
    condition: 'ok',
    next: null,
    action: null,
    explanation: 'a\n\u001b[2Jb\u2028c...',
  })
  const window = { from: at(0), until: at(3), by: 'Ada' }
  t.equal(
    textOf({ incident: opening, resource: resource({ maintenance: window }) }),
    `Disk of db1 (db1) has an Incident of the rule full open since ${at(0)}, not confirmed yet, and it is recovering: a [2Jb c. Nobody was told; nobody has taken it on. Time alone changes nothing, the next Observations decide; maintenance by Ada holds messages back until ${at(3)}.`,
  )
  const closed = incident({
    lifecycle: 'closed',
    closed_at: at(4),
    closed_reason: 'recovered',
    acknowledgement: { by: 'Ada', at: at(2), via: 'mcp' },
  })
  t.match(
    textOf({ incident: closed }),
    /closed as recovered: disk 93\. Nobody was told; Ada took it on at \S+ by mcp\. Nothing follows: it is closed\.$/,
  )
})

/** An API with one Incident, which returns the given response for the Template. */
function apiOf(bound: string | null, templateOf: () => Template) {
  const asked: string[] = []
  const answers: [end: string, result: () => unknown][] = [
    ['/incidents/i1', () => incident()],
    ['/incidents/i1/deliveries', () => [delivery({})]],
    ['/resources/r1', () => resource({ template: bound })],
    ['/templates/host%401', templateOf],
  ]
  const api = async ({ path }: ApiRequest) => {
    asked.push(path)
    const [, result] = answers.find(([end]) => path === `/workspaces/w${end}`) ?? []
    return { result: result?.(), nextCursor: null }
  }
  const explained = async () => {
    const { result } = await explainIncident({ api, workspace: async () => 'w' }, { incident: 'i1' })
    return result as ReturnType<typeof explanationOf>
  }
  return { asked, explained }
}

const refusing = (status: number) => (): never => {
  throw new ApiRefusal(status, { code: 1_000 + status, error_type: 'x', message: 'No.', details: {} })
}

t.test('explanation of a Resource omits the rule when the Template is missing or damaged', async t => {
  t.match(await apiOf('host@1', () => template).explained(), { rule: { key: 'full' }, told: [{ destination: 'On call' }] })
  for (const status of [404, 422, 500]) {
    const found = await apiOf('host@1', refusing(status)).explained()
    t.match(found, { rule: null, incident: { id: 'i1' }, told: [{ destination: 'On call' }] }, `${status}`)
  }
  await t.rejects(apiOf('host@1', refusing(401)).explained(), ApiRefusal)
  const ofGeneration2 = apiOf(null, refusing(500))
  t.equal((await ofGeneration2.explained()).rule, null)
  t.equal(ofGeneration2.asked.length, 3, 'a custom subject has no Template to ask for')
})

const path = (count: number) => Array.from({ length: count }, (_, i) => ({ state: 'recovering', at: at(i), event: 'ok.judged' }))
const notices = (count: number) =>
  Array.from({ length: count }, (_, i) => delivery({ at: at(1_000 - i), destination: `Destination ${i} ${'x'.repeat(80)}` }))

t.test('explanation that just fits is complete, and a bound one byte lower removes the oldest step of its path', async t => {
  const whole = explanationOf(parts({ incident: incident({ path: path(20) }), deliveries: notices(3) }))
  const size = fullSize({ explanation: whole, text: bounded(whole).text })
  t.strictSame(bounded(whole, size).explanation, whole)
  const { explanation } = bounded(whole, size - 1)
  t.strictSame(explanation, { ...whole, path: whole.path.slice(1), path_omitted: 1 })
})

t.test('explanation omits steps of its path first, then deliveries, then evidence, and counts omitted parts', async t => {
  const many = explanationOf(parts({ incident: incident({ path: path(500), path_omitted: 7 }), deliveries: notices(190) }))
  const cut = bounded(many)
  t.ok(fullSize(cut) <= clientLimits.toolReplyBytes)
  t.equal(cut.explanation.path.length, 0)
  t.equal(cut.explanation.path_omitted, 507)
  t.ok(cut.explanation.told.length > 50)
  t.equal(cut.explanation.told.length + cut.explanation.deliveries_omitted, 190)
  t.equal(cut.explanation.told[0]?.at, many.told[0]?.at, 'the newest stay')
  t.strictSame(cut.explanation.evidence, many.evidence)
})

t.test('explanation with too much evidence omits its last inputs first, then the decision', async t => {
  const long = '漢'.repeat(200)
  const inputs = Array.from({ length: 16 }, (_, i) => ({ signal: `s${i}`, unresolved: long, reason: long }))
  const history = [{ at: at(0), kind: 'opened', evidence: { inputs, omitted: 2, truncated: false } }]
  const whole = explanationOf(parts({ incident: incident({ history, path: path(3) }), deliveries: notices(3) }))
  const cut = bounded(whole)
  t.ok(fullSize(cut) <= clientLimits.toolReplyBytes)
  const { evidence, told, rule } = cut.explanation
  t.strictSame([told.length, cut.explanation.path.length], [0, 0])
  t.equal((evidence?.inputs.length ?? 0) + (evidence?.omitted ?? 0), 18)
  t.ok((evidence?.inputs.length ?? 0) > 8)
  t.strictSame(rule?.decision, decision)
  const least = bounded(whole, 1_000).explanation
  t.equal(least.evidence?.inputs.length, 0)
  t.match(least.rule?.decision, /too large/)
})

const text = (maxLength: number) => fc.string({ maxLength, unit: 'grapheme' })

t.test('explanation fits its bound for any parts', async t => {
  const evidence = fc.record({
    inputs: fc.array(fc.record({ signal: text(63), unresolved: text(200), reason: text(200) }), { maxLength: 16 }),
    omitted: fc.nat(9),
    truncated: fc.boolean(),
  })
  const property = fc.property(
    fc.record({
      steps: fc.nat(500),
      sent: fc.nat(200),
      names: fc.array(text(100), { minLength: 1, maxLength: 20 }),
      evidence,
      help: text(500),
      operands: fc.array(text(300), { maxLength: 16 }),
      name: text(100),
      most: fc.integer({ min: 12_000, max: clientLimits.toolReplyBytes }),
    }),
    ({ steps, sent, names, evidence, help, operands, name, most }) => {
      const one = incident({ path: path(steps), history: [{ at: at(0), kind: 'opened', evidence }] })
      one.resource.name = name
      const rules = [{ ...template.rules[1]!, help, decision: { all: operands } }]
      const deliveries = Array.from({ length: sent }, (_, i) =>
        delivery({ at: at(i), destination: names[i % names.length] ?? '', event: i % 3 === 0 ? 'problem' : 'reminder' }),
      )
      const whole = explanationOf(parts({ incident: one, template: { id: 'host@1', rules }, deliveries }))
      const cut = bounded(whole, most)
      const told = cut.explanation.told.reduce((sum, { times }) => sum + times, cut.explanation.deliveries_omitted)
      return fullSize(cut) <= most && cut.explanation.path.length + cut.explanation.path_omitted === steps && told === sent
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }))
})
