// Incidents and alerts of Templates' rules in the keeper, and their replay. Reference: docs/reference/v3.md, sections 5 and 10.
import t from 'tap'
import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument } from '#shared/contracts/incidents/incident.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { StoreError } from '#shared/store/port.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { createWorld, minute } from '../world.ts'

const pager = { id: 'd1', name: 'Pager' }
const failing = { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' }
const wait = (confirm_after: number, recover_after = 120) => ({ confirm_after, recover_after })
const rules = {
  routed: {
    action: 'Restart the host.',
    wait: wait(300),
    decision: failing,
    routes: [{ destination: { name: pager.name }, on: ['opened', 'acknowledged'] }],
  },
  named: { action: 'Call the owner.', wait: wait(0), decision: failing, destination: { name: pager.name } },
  plain: { action: 'Look for the process.', wait: wait(60), decision: failing },
  // A Template can name its rule like the rule of website monitoring.
  availability: {
    action: 'Look.',
    wait: wait(60, 60),
    decision: {
      any: [
        { all_known: [failing, { signal: 'load', field: 'value', operator: 'gt', operand: { meta: 'load_max' } }], min_known: 2 },
        { not: { signal: 'probe', field: 'known', within_seconds: 90 } },
        { signal: 'load', field: 'value', operator: 'gt', operand: 6, min_count: 2, within_seconds: 120 },
        { signal: 'load', field: 'value', operator: 'gt', operand: 3, baseline: { days: 1, min_samples: 2 } },
      ],
    },
  },
} as const

async function setStage(keys: (keyof typeof rules)[], wrapStore?: Parameters<typeof createWorld>[0]) {
  const world = createWorld(wrapStore)
  const manifest = {
    key: 'host',
    version: 1,
    name: 'Host',
    fields: [
      { key: 'load_max', type: 'number', default: 4 },
      { key: 'tags', type: 'string_list', default: ['a'] },
    ],
    signals: [
      { key: 'probe', kind: 'heartbeat', every_seconds: 60 },
      { key: 'load', kind: 'event' },
    ],
    rules: keys.map(key => ({ key, ...rules[key] })),
  }
  const template = readManifest(manifest, { systemKeys: new Set(), destinations: [pager] })
  const published = { workspaceId: 'w', key: 'host', version: 1, publishedAt: 0, bytes: 1, template }
  await world.store.insert('templates', [{ id: 'w/host@1', rev: 1, ...published }])
  await world.startOne({ exclusive: true })
  return world
}
type World = Awaited<ReturnType<typeof setStage>>

async function command(world: World, id: string, body: object): Promise<void> {
  const reply = await world.command(id, body as never)
  if (!reply.ok) throw new Error(reply.error.message)
}

const create = (world: World, id: string) =>
  command(world, id, {
    kind: 'create-resource',
    workspaceId: 'w',
    slug: `key-${id}`,
    name: `Host ${id}`,
    template: 'host@1',
    answers: {},
    labels: {},
  })

const nothingSent = { signalKind: null, sentId: null, atUs: null, value: null, reason: '', labels: {}, body: null }
const observe = (world: World, id: string, sent: object) =>
  command(world, id, { kind: 'observe', observations: [{ signal: 'probe', state: 'ok', ...nothingSent, ...sent }] })
const bad = { state: 'problem', reason: 'see https://ann:secret@db.example/' }
const acknowledge = (world: World, id: string) =>
  command(world, id, { kind: 'acknowledge-incident', incidentId: `${id}.1`, by: 'Ada', via: 'mcp' })

const told = (alerts: readonly AlertDocument[]) =>
  [...alerts]
    .sort((one, other) => one.number - other.number)
    .map(({ kind, held, reminder }) => (held ? `held ${kind}` : reminder ? 'reminder' : kind))

/** Opens an incident at minute 0 and reports a problem each minute until the given minute. */
async function fail(world: World, id: string, minutes: number) {
  await observe(world, id, bad)
  for (let i = 0; i < minutes; i++) {
    await world.clock.advance(minute)
    await observe(world, id, bad)
  }
}

async function recover(world: World, id: string) {
  await observe(world, id, {})
  await world.clock.advance(2 * minute)
}

const named: [string, keyof typeof rules, (world: World, id: string) => Promise<unknown>, string[]][] = [
  ['the opening is announced when there is a hold', 'routed', (world, id) => fail(world, id, 0), ['opened']],
  ['the opening is not announced when the hold is 0', 'named', (world, id) => fail(world, id, 0), ['problem']],
  [
    'the recovery is announced without a confirmation when the opening was',
    'plain',
    async (world, id) => {
      await fail(world, id, 0)
      await recover(world, id)
    },
    ['opened', 'recovery'],
  ],
  [
    'the recovery is announced once after opening and confirmation',
    'plain',
    async (world, id) => {
      await fail(world, id, 1)
      await recover(world, id)
    },
    ['opened', 'problem', 'recovery'],
  ],
  [
    'the acknowledgement is announced once when it is given twice',
    'routed',
    async (world, id) => {
      await fail(world, id, 0)
      await acknowledge(world, id)
      await acknowledge(world, id)
    },
    ['opened', 'acknowledged'],
  ],
  [
    'the opening is held, and the acknowledgement is sent, when maintenance runs',
    'routed',
    async (world, id) => {
      await command(world, id, { kind: 'start-maintenance', endsAt: world.clock.now() + 60 * minute, by: 'Ada' })
      await fail(world, id, 0)
      await acknowledge(world, id)
      await recover(world, id)
    },
    ['held opened', 'acknowledged'],
  ],
  [
    'the problem is held, and its end is sent, when maintenance runs (v3 6.7)',
    'plain',
    async (world, id) => {
      await command(world, id, { kind: 'set-maintenance', minutes: 300, by: 'Ada' })
      await fail(world, id, 2)
      await recover(world, id)
    },
    ['held opened', 'held problem', 'recovery'],
  ],
  [
    'the recovery is sent when maintenance runs (v3 6.7)',
    'plain',
    async (world, id) => {
      await fail(world, id, 1)
      await command(world, id, { kind: 'set-maintenance', minutes: 60, by: 'Ada' })
      await recover(world, id)
    },
    ['opened', 'problem', 'recovery'],
  ],
  [
    'only a withdrawal is announced when the Resource is archived (v3 6.4 and 10.16)',
    'plain',
    async (world, id) => {
      await fail(world, id, 1)
      await command(world, id, { kind: 'archive-resource' })
      await world.clock.advance(10 * minute)
    },
    ['opened', 'problem', 'withdrawn'],
  ],
]

t.test("Template's rule sends a message for each change of its incident (v3 10.3 to 10.6)", async t => {
  for (const [title, rule, live, expected] of named) {
    const world = await setStage([rule])
    await create(world, 'host1')
    await live(world, 'host1')
    t.strictSame(told(await world.alerts('host1')), expected, title)
    t.strictSame(await faultsOf(world, 'host1'), [], `${title}: replayed`)
  }
})

t.test('alert copies the texts, routes and readings of its rule, and the copies never change (v3 10.4, 10.7, 10.9)', async t => {
  const world = await setStage(['routed', 'named', 'plain'])
  await create(world, 'host1')
  await observe(world, 'host1', { ...bad, value: 7 })
  const ofRule = async (key: string) => (await world.alerts('host1')).find(({ facts }) => facts.ruleKey === key)
  const atUs = world.clock.now() * 1_000 - 1_000
  const reason = 'see https://db.example/'
  const opened = await ofRule('routed')
  t.match(opened?.facts, {
    subjectName: 'Host host1',
    action: 'Restart the host.',
    routing: { routes: [{ destination: 'd1', on: ['opened', 'acknowledged'] }] },
    resourceKey: 'key-host1',
    reasons: [{ signal: 'probe', text: reason }],
    comparisons: { inputs: [{ signal: 'probe', status: 'problem', value: 7, reason }], omitted: 0, truncated: false },
    condition: 'problem',
    explanation: 'probe problem',
    fields: { load_max: 4 },
    fieldsOmitted: 1,
    confirmedAt: null,
  })
  t.equal(opened?.facts.comparisons?.inputs[0]?.atUs, atUs)
  t.notMatch(JSON.stringify(opened), 'secret')
  t.notOk('acknowledgedBy' in (opened?.facts ?? {}))
  t.strictSame((await ofRule('named'))?.facts.routing, { destination: 'd1' })
  t.equal((await ofRule('plain'))?.facts.routing, null)
  await acknowledge(world, 'host1')
  const taken = (await world.alerts('host1')).find(({ kind }) => kind === 'acknowledged')
  t.match(taken?.facts, { acknowledgedBy: 'Ada', action: 'Restart the host.' })
  await recover(world, 'host1')
  const over = (await world.alerts('host1')).find(({ kind }) => kind === 'recovery')
  t.match(over?.facts, { condition: 'ok', reasons: [], comparisons: { inputs: [{ signal: 'probe', status: 'ok' }] } })
})

t.test("alert of a website's rule has no facts of a Template's rule, but its acknowledgement is announced, too", async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create({ confirm_after: 60 })
  for (let i = 0; i < 2; i++) {
    await world.report(id, false)
    await world.clock.advance(minute)
  }
  const [incident] = await world.incidents(id)
  await command(world, id, { kind: 'acknowledge-incident', incidentId: incident?.id, by: 'Ada', via: 'ui' })
  const alerts = await world.alerts(id)
  t.strictSame(told(alerts), ['problem', 'acknowledged'], 'of which only alerts that stay open hear (v3 10.16)')
  const added = ['action', 'routing', 'resourceKey', 'reasons', 'comparisons', 'condition', 'acknowledgedBy']
  t.strictSame(
    Object.keys(alerts[0]?.facts ?? {}).filter(key => added.includes(key)),
    [],
  )
  const [opening] = await world.history(id)
  t.strictSame(Object.keys(opening?.event ?? {}).sort(), ['at', 'closeAfterMs', 'confirmAfterMs', 'type'])
  t.match((await world.incidents(id))[0], {
    rule: { key: 'reachability', name: 'Reachability' },
    action: null,
    resourceKey: `s-${id}`,
    acknowledgedVia: 'ui',
  })
})

t.test('incident keeps the texts of its rule when it closes', async t => {
  const world = await setStage(['routed'])
  await create(world, 'host1')
  await fail(world, 'host1', 0)
  const words = { rule: { key: 'routed', name: 'routed' }, action: 'Restart the host.', resourceKey: 'key-host1' }
  t.match(await world.incidents('host1'), [{ ...words, acknowledgedVia: null, open: 1 }])
  await acknowledge(world, 'host1')
  await recover(world, 'host1')
  t.match(await world.incidents('host1'), [{ ...words, acknowledgedVia: 'mcp', open: 0 }])
})

t.test('when the store refuses incidents for a while, an alert is stored only after its incident (v3 10.5)', async t => {
  let isBroken = false
  const world = await setStage(['routed'], store => ({
    ...store,
    advance: async (collection, documents) => {
      if (isBroken && collection === 'incidents') throw new StoreError('unavailable', 'no incidents')
      return store.advance(collection, documents)
    },
  }))
  await create(world, 'host1')
  isBroken = true
  const observing = observe(world, 'host1', bad)
  await world.clock.advance(1_000)
  const stored = [...(await world.history('host1')), ...(await world.alerts('host1'))]
  t.strictSame(
    stored.map(({ kind }) => kind),
    ['pending'],
  )
  isBroken = false
  await world.clock.advance(10_000)
  await observing
  t.strictSame(
    [await world.incidents('host1'), await world.alerts('host1')].map(({ length }) => length),
    [1, 1],
  )
})

async function faultsOf(world: World, id: string): Promise<string[]> {
  const subject = await world.subject(id)
  const incidents = await world.incidents(id)
  const history = (await world.store.find('history', { where: { subjectId: id }, limit: 1_000 })) as HistoryDocument[]
  return incidents.flatMap(incident => {
    const records = history.filter(({ incidentId }) => incidentId === incident.id).sort((a, b) => a.sequence - b.sequence)
    const rule = subject?.rules.find(one => one.incident?.context.incidentId === incident.id)
    const held = rule ? { ruleKey: rule.key, snapshot: rule.incident, verdict: rule.verdict } : null
    return replayIncident(incident, records, held as HeldIncident | null).faults.map(fault => `${incident.id}: ${fault}`)
  })
}

t.test('incidents of Templates are rebuilt from their records when signals fail, fall silent and recover at random', async t => {
  const world = await setStage(['routed', 'named', 'plain', 'availability'])
  const ids = Array.from({ length: 6 }, (_, i) => `host${i}`)
  for (const id of ids) await create(world, id)
  let seed = 7
  const chance = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % n
  }
  for (let round = 0; round < 60; round++) {
    for (const id of ids) {
      if (chance(3) > 0) await observe(world, id, { state: ['ok', 'problem', 'problem', 'no_data'][chance(4)] })
      if (chance(3) === 0) await observe(world, id, { signal: 'load', value: chance(10) })
    }
    await world.clock.advance((1 + chance(4)) * 40_000)
  }
  // The run must reach every state of the incident machine.
  const kinds = new Set<string>()
  for (const id of ids) {
    for (const { kind } of await world.store.find('history', { where: { subjectId: id }, limit: 1_000 })) kinds.add(kind)
    t.strictSame(await faultsOf(world, id), [], id)
  }
  const all = ['closed', 'hold paused', 'hold resumed', 'pending', 'problem', 'recovering']
  t.strictSame([...kinds].sort(), all)
})

t.test("replay finds a fault when the evidence of a Template's rule was altered", async t => {
  const world = await setStage(['routed'])
  await create(world, 'host1')
  await fail(world, 'host1', 0)
  await recover(world, 'host1')
  const [incident] = await world.incidents('host1')
  const history = (await world.history('host1')).sort((one, other) => one.sequence - other.sequence)
  const [first] = history
  if (incident === undefined || first === undefined || first.evidence === null) throw new Error('there is no incident')
  t.strictSame(replayIncident(incident, history, null).faults, [])
  const [input] = first.evidence.inputs
  const altered: [string, object][] = [
    ['explanation', { explanation: 'probe ok' }],
    ['verdict', { verdict: 'no_data' }],
    ['undecided verdict', { verdict: 'not_judged' }],
    ...['input', 'value', 'at', 'reason'].map((field): [string, object] => [field, withInput({ ...input, [field]: 'altered' })]),
    ['reading', withInput({ ...input, reading: { ...input?.reading, status: 'ok' } })],
    ['loudness', { event: { ...first.event, announcesAll: 'altered' } }],
  ]
  function withInput(changed: object): object {
    return { evidence: { ...first?.evidence, inputs: [changed] } }
  }
  for (const [title, change] of altered)
    t.not(replayIncident(incident, history.with(0, { ...first, ...change } as HistoryDocument), null).faults.length, 0, title)
})
