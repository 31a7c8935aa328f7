// Preview of a Template over HTTP: it is refused like a publication, every bound holds, and nothing is stored. Reference:
// docs/reference/v3.md, 3.11.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { TemplateDocument } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
let viewer: string
let reader: string
t.before(async () => {
  world = await startApiWorld({ audit: false })
  owner = (await world.addPerson('olga', { w1: 'owner', full: 'owner' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  reader = makeToken()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const key = { id: 'reader', description: '', tokenHash: hashToken(reader), prefix: 'wk_', userId: 'user-vera' }
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: [] } })
})
t.teardown(() => world.stop())

const templates = '/workspaces/w1/templates'
const call = (path: string, body: unknown, options: CallOptions = {}) =>
  world.call('POST', `/api/v3${path}`, { token: owner, body, ...options })
const preview = (body: unknown, options: CallOptions = {}) => call(`${templates}/preview`, body, options)

const isProblem = { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' }
const heartbeat = {
  key: 'heartbeat',
  version: 1,
  name: 'Heartbeat',
  signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }],
  rules: [{ key: 'failing', action: 'Look.', wait: { confirm_after: 120, recover_after: 60 }, decision: isProblem }],
}
const rule = heartbeat.rules[0]
const withDecision = (decision: object, wait = { confirm_after: 0, recover_after: 0 }) => ({
  ...heartbeat,
  rules: [{ ...rule, wait, decision }],
})

const start = Date.UTC(2026, 9, 5, 12)
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
const beat = (seconds: number, state: string, more: object = {}) => ({ signal: 'beat', state, at: at(seconds), ...more })

t.test('preview returns exactly the incidents, explanations and evidence of its Observations (v3 3.11)', async t => {
  const observations = [
    beat(0, 'problem', { value: 4, reason: 'disk full at https://ann:secret@example.test/?token=abc' }),
    beat(60, 'problem'),
    beat(120, 'problem'),
    beat(150, 'ok'),
    beat(240, 'ok'),
  ]
  const { status, json } = await preview({ manifest: heartbeat, observations })
  t.equal(status, 200)
  t.equal(json.meta, null)
  const { template, rules, warnings, ...rest } = json.result
  t.strictSame(rest, {})
  t.match(template, { id: 'heartbeat@1', name: 'Heartbeat', rules: [{ key: 'failing', decision: isProblem }] })
  const evidence = (input: object) => ({ inputs: [{ signal: 'beat', ...input }], omitted: 0, truncated: false })
  const problem = { condition: 'problem', verdict: 'problem', explanation: 'beat problem' }
  const ok = { condition: 'ok', verdict: 'ok', explanation: 'beat ok' }
  const reason = 'disk full at https://example.test/?token=redacted'
  t.strictSame(rules, [
    {
      key: 'failing',
      status: 'ok',
      explanation: 'beat ok',
      evidence: evidence({ status: 'ok', at: at(240) }),
      incidents: [
        {
          opened_at: at(0),
          confirmed_at: at(120),
          closed_at: at(150),
          closed_reason: 'recovered',
          history: [
            {
              at: at(0),
              kind: 'opened',
              ...problem,
              evidence: evidence({ status: 'problem', value: 4, at: at(0), reason }),
            },
            { at: at(120), kind: 'confirmed', ...problem, evidence: evidence({ status: 'problem', at: at(60) }) },
            { at: at(150), kind: 'verdict_changed', ...ok, evidence: evidence({ status: 'ok', at: at(150) }) },
            { at: at(150), kind: 'closed', ...ok, evidence: evidence({ status: 'ok', at: at(150) }) },
          ],
        },
      ],
    },
  ])
  t.match(warnings, [{ signal: 'beat', text: /^No rule notices when beat falls silent/ }])
})

t.test('preview applies silence, ends of windows and delays up to `at` (v3 3.11)', async t => {
  const silent = withDecision({ any: [isProblem, { not: { signal: 'beat', field: 'known' } }] })
  const { json } = await preview({ manifest: silent, observations: [beat(0, 'ok')], at: at(3 * 86_400) })
  const [{ status, explanation, incidents }] = json.result.rules
  t.match({ status, explanation }, { status: 'problem', explanation: /^beat unresolved .*, beat not known$/ })
  // A preview shows no reminders, although the time is longer than three periods of reminders.
  t.match(incidents, [
    { opened_at: '2026-10-05T12:03:00.001Z', confirmed_at: '2026-10-05T12:03:00.001Z', closed_at: null, history: { length: 2 } },
  ])
  t.strictSame(json.result.warnings, [])
  const held = await preview({ manifest: heartbeat, observations: [beat(0, 'problem')], at: at(120) })
  t.match(held.json.result.rules, [{ incidents: [{ confirmed_at: at(120) }] }], 'a hold that ends at `at` has ended')
  const shorter = await preview({ manifest: heartbeat, observations: [beat(0, 'problem')], at: at(119.999) })
  t.match(shorter.json.result.rules, [{ incidents: [{ confirmed_at: null }] }])
  const early = await preview({ manifest: silent, observations: [beat(0, 'ok'), beat(200, 'problem')], at: at(100) })
  t.match(early.json.result.rules, [{ status: 'ok', incidents: [] }], 'what comes after `at` is not judged')
  const none = await preview({ manifest: heartbeat })
  t.match(none.json.result.rules, [{ status: null, explanation: null, incidents: [] }])
})

t.test('preview orders Observations by instant and counts a repeated id once (v3 3.11)', async t => {
  const observations = [beat(60, 'ok'), beat(0, 'problem', { id: 'a' }), beat(90, 'problem', { id: 'a' })]
  const { json } = await preview({ manifest: withDecision(isProblem), observations })
  t.match(json.result.rules, [{ status: 'ok', incidents: [{ opened_at: at(0), closed_at: at(60) }] }])
  t.equal(json.result.rules[0].incidents.length, 1)
})

t.test('preview serves every member and key, can read published Templates, and stores nothing (v3 3.11)', async t => {
  const published = { ...heartbeat, key: 'published', fields: [{ key: 'wait', type: 'duration', required: true }] }
  t.equal((await call(templates, published)).status, 201)
  t.equal((await call(templates, { ...published, version: 3, name: 'Third' })).status, 201)
  const before = await world.dump()
  for (const token of [owner, viewer, reader]) {
    const bodies = [{ manifest: heartbeat }, { template: 'published@1', meta: { wait: 9 }, observations: [beat(0, 'problem')] }]
    for (const body of bodies) t.equal((await preview(body, { token })).status, 200)
  }
  const { json } = await preview({ template: 'published', meta: { wait: 9 } })
  t.equal(json.result.template.id, 'published@3', 'a bare key means the highest version')
  t.equal((await preview({ manifest: published, meta: { wait: 1 } })).status, 200, 'a version that exists is no fault')
  t.equal(await world.dump(), before)
})

t.test('preview refuses a faulty Template with the same messages as its publication (v3 3.11)', async t => {
  const faulty: [what: string, manifest: unknown][] = [
    ['an unknown key', { ...heartbeat, colour: 'red' }],
    ['another JSON type', { ...heartbeat, signals: 'beat' }],
    ['nothing', {}],
    ['a system key', { ...heartbeat, key: 'website-check' }],
    ['an unknown signal', withDecision({ ...isProblem, signal: 'pulse' })],
    ['an operand that does not fit', withDecision({ all: [isProblem, { ...isProblem, operand: 3 }] })],
    ['a node of two kinds', withDecision({ any: [isProblem, isProblem], not: isProblem })],
    ['an unknown destination', { ...heartbeat, rules: [{ ...rule, destination: { name: 'nowhere' } }] }],
    ['an event with a period', { ...heartbeat, signals: [{ key: 'beat', kind: 'event', every_seconds: 60 }] }],
  ]
  for (const [what, manifest] of faulty) {
    const published = await call(templates, manifest)
    const previewed = await preview({ manifest })
    t.ok(published.status === 400 || published.status === 422, what)
    t.equal(previewed.status, published.status, what)
    t.strictSame(previewed.json, published.json, what)
  }
})

t.test('preview is refused in a workspace with the largest number of revisions (v3 3.11)', async t => {
  const rows = Array.from({ length: limits.templateRevision.perWorkspace - 1 }, (_, i): TemplateDocument => {
    const version = i + 1
    return {
      id: `full/x@${version}`,
      rev: 1,
      workspaceId: 'full',
      key: 'x',
      version,
      publishedAt: 0,
      bytes: 1,
      template: { key: 'x', version, name: 'x', summary: '', fields: [], signals: [], rules: [] },
    }
  })
  await world.store.insert('templates', rows)
  const path = '/workspaces/full/templates'
  t.equal((await call(`${path}/preview`, { manifest: heartbeat })).status, 200, 'there is room for one more')
  t.equal((await call(path, heartbeat)).status, 201)
  const other = { ...heartbeat, version: 2 }
  const published = await call(path, other)
  const previewed = await call(`${path}/preview`, { manifest: other })
  t.match(published, { status: 422, json: { error: { details: { field: 'key' } } } })
  t.strictSame([previewed.status, previewed.json], [published.status, published.json])
})

const many = (count: number) => Array.from({ length: count }, (_, i) => beat(i, 'ok'))
const days = (count: number) => count * 86_400

t.test('preview accepts a value at each bound, and refuses a value above it with the name of its field (v3 3.11)', async t => {
  const counted = { ...isProblem, field: 'value', operator: 'gt', operand: { meta: 'limit' } }
  const asked = { ...withDecision(counted), fields: [{ key: 'limit', type: 'number', required: true, max: 10 }] }
  const observed = (one: object) => ({ manifest: heartbeat, observations: [beat(0, 'ok'), { ...beat(1, 'ok'), ...one }] })
  const served: [what: string, body: object][] = [
    ['500 Observations', { manifest: heartbeat, observations: many(500) }],
    ['400 days', { manifest: heartbeat, observations: [beat(0, 'ok')], at: at(days(400)) }],
    ['400 days between Observations', { manifest: heartbeat, observations: [beat(0, 'ok'), beat(days(400), 'ok')] }],
    ['an Observation of the far past and of the future', { manifest: heartbeat, observations: [beat(-days(900), 'ok')] }],
    ['an `at` before everything', { manifest: heartbeat, observations: [beat(0, 'ok')], at: at(-1) }],
    ['an answer at its bound', { manifest: asked, meta: { limit: 10 } }],
    ['a kind that agrees', observed({ kind: 'heartbeat' })],
    ['a signal that an Observation declares', observed({ signal: 'pulse', kind: 'event' })],
    ['nulls, which are absent', { manifest: heartbeat, template: null, meta: null, observations: null, at: null }],
  ]
  for (const [what, body] of served) t.equal((await preview(body)).status, 200, what)
  const refused: [what: string, body: object, status: number, field: string][] = [
    ['501 Observations', { manifest: heartbeat, observations: many(501) }, 422, 'observations'],
    ['more than 400 days', { manifest: heartbeat, observations: [beat(0, 'ok')], at: '2027-11-09T12:00:00.000001Z' }, 422, 'at'],
    ['more between', { manifest: heartbeat, observations: [beat(days(400) + 1, 'ok'), beat(0, 'ok')] }, 422, 'at'],
    ['an `at` without a zone', { manifest: heartbeat, at: '2026-10-05T12:00:00' }, 422, 'at'],
    ['neither of both', {}, 422, 'manifest'],
    ['both', { manifest: heartbeat, template: 'x' }, 422, 'template'],
    ['an unknown Template', { template: 'nothing' }, 422, 'template'],
    ['an unknown version', { template: 'published@9' }, 422, 'template'],
    ['a system Template', { template: 'website-check' }, 422, 'template'],
    ['a manifest that is no object', { manifest: [] }, 400, 'manifest'],
    ['an unknown field', { manifest: heartbeat, now: 1 }, 400, 'now'],
    ['no answer', { manifest: asked }, 422, 'limit'],
    ['an answer beyond its bound', { manifest: asked, meta: { limit: 10.5 } }, 422, 'limit'],
    ['an unknown answer', { manifest: asked, meta: { limit: 1, more: 1 } }, 422, 'more'],
    ['no instant', observed({ at: undefined }), 422, 'observations.1.at'],
    ['no zone', observed({ at: '2026-10-05T12:00:00' }), 422, 'observations.1.at'],
    ['an unknown signal', observed({ signal: 'pulse' }), 422, 'observations.1.signal'],
    ['another kind', observed({ kind: 'event' }), 422, 'observations.1.kind'],
    ['bad labels', observed({ labels: { location: 'x' } }), 422, 'observations.1.labels'],
    ['a wrong type', observed({ value: '1' }), 400, 'observations.1.value'],
    ['a wrong state', observed({ state: 'down' }), 422, 'observations.1.state'],
    ['an unknown part', observed({ resource: 'x' }), 400, 'observations.1.resource'],
  ]
  const before = await world.dump()
  for (const [what, body, status, field] of refused) {
    const answer = await preview(body)
    t.match(answer, { status, json: { result: null, error: { code: 1_000 + status, details: { field } } } }, what)
  }
  t.equal(await world.dump(), before)
})

t.test('preview refuses a request body of more than 1 MiB (v3 1.8)', async t => {
  const text = JSON.stringify({ manifest: heartbeat })
  const padded = (bytes: number) => text + ' '.repeat(bytes - text.length)
  const path = `/api/v3${templates}/preview`
  t.equal((await world.call('POST', path, { token: owner, raw: padded(1_048_576) })).status, 200)
  t.match(await world.call('POST', path, { token: owner, raw: padded(1_048_577) }), {
    status: 413,
    json: { error: { code: 1413 } },
  })
})

t.test('oversized preview omits and counts its oldest incidents (v3 3.11)', async t => {
  const reason = '\u{1f525}'.repeat(200)
  const signals = Array.from({ length: 16 }, (_, i) => ({ key: `s${i}`, kind: 'heartbeat', every_seconds: 86_400 }))
  const decision = { any: signals.map(({ key }) => ({ ...isProblem, signal: key })) }
  const wait = { confirm_after: 0, recover_after: 0 }
  const rules = Array.from({ length: 10 }, (_, i) => ({ key: `r${i}`, action: 'Look.', wait, decision }))
  const observations = Array.from({ length: 500 }, (_, i) => ({
    signal: `s${i < 16 ? i : 0}`,
    state: i >= 16 && i % 2 === 0 ? 'problem' : 'ok',
    reason,
    at: at(i),
  }))
  const { status, json, text } = await preview({ manifest: { ...heartbeat, signals, rules }, observations })
  t.equal(status, 200)
  t.ok(Buffer.byteLength(text) < 2 * 1024 ** 2)
  for (const { incidents, incidents_omitted: omitted } of json.result.rules) {
    t.equal(incidents.length + omitted, 242)
    t.equal(incidents.at(-1).closed_at, at(499))
    t.ok(incidents.length > 2)
  }
})
