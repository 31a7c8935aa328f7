// Binding of a Resource to another revision: answers, signals, incidents, and the earlier Observations that the new rules read. Reference:
// docs/reference/v3.md, 4.6 and 6.5.
import t from 'tap'
import type { Template } from '#shared/contracts/resources/template.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { TemplateRevisions } from '../../../services/keeper/loading/template-revisions.ts'
import { createWorld, minute } from '../world.ts'
import { create, host, kindsOf, observe, publish, read, ruleOf, second, setStage, type World } from './resource-world.ts'

const nothing = { systemKeys: new Set<string>(), destinations: [] }
const above = (operand: number, more: object) => ({ signal: 'load', field: 'value', operator: 'gt', operand, ...more })
const wait = { confirm_after: 0, recover_after: 0 }

/** Revision that keeps the rule `down`, counts more readings of `load`, and compares `load` with its baseline. */
const revised = {
  ...host,
  version: 2,
  fields: [
    { key: 'load_max', type: 'number', default: 8 },
    { key: 'team', type: 'string', default: 'core' },
  ],
  signals: [
    { key: 'load', kind: 'event' },
    { key: 'probe', kind: 'heartbeat', every_seconds: 30 },
    { key: 'disk', kind: 'event' },
  ],
  rules: [
    host.rules[0],
    { key: 'often', action: 'Wait.', wait, decision: above(2, { min_count: 5, within_seconds: 3_600 }) },
    { key: 'unusual', action: 'Look.', wait, decision: above(3, { baseline: { days: 1, min_samples: 4 } }) },
  ],
}

async function stage(...documents: object[]): Promise<World> {
  const world = await setStage()
  for (const document of [revised, ...documents]) await publish(world, readManifest(document, nothing))
  return world
}

const rebind = (world: World, id: string, template = 'host@2', answers: object = {}) =>
  world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template, answers } as never)

const refusedFor = (field: string) => ({ ok: false, error: { code: 'validation', facts: { field } } })

async function replayFaults(world: World, id: string): Promise<string[]> {
  const subject = await world.subject(id)
  const history = (await world.store.find('history', { where: { subjectId: id }, limit: 1_000 })).sort(
    (one, other) => one.sequence - other.sequence,
  )
  return (await world.incidents(id)).flatMap(incident => {
    const rule = subject?.rules.find(one => one.incident?.context.incidentId === incident.id)
    const held = rule ? { ruleKey: rule.key, snapshot: rule.incident, verdict: rule.verdict } : null
    const records = history.filter(({ incidentId }) => incidentId === incident.id)
    return replayIncident(incident, records, held as never).faults.map(fault => `${incident.id}: ${fault}`)
  })
}

t.test('rebound Resource has the rules of its new revision and keeps the ids of its signals (v3 6.5)', async t => {
  const world = await stage()
  const { id } = await create(world, { answers: { load_max: 5 }, labels: { env: 'prod' } })
  await world.command(id, { kind: 'set-maintenance', minutes: 60, by: 'Ada' } as never)
  t.match(await rebind(world, id), { ok: true })
  t.match(await read(world, id), {
    template: 'host@2',
    key: `key-${id}`,
    labels: { env: 'prod' },
    answers: { load_max: 5, team: 'core' },
    signals: [
      { id: 's1', key: 'probe', kind: 'heartbeat' },
      { id: 's2', key: 'load', kind: 'event' },
      { id: 's3', key: 'disk', kind: 'event' },
    ],
    rules: [{ key: 'down' }, { key: 'often' }, { key: 'unusual' }],
    maintenance: { by: 'Ada' },
  })
  t.match(await rebind(world, id, 'host@1'), { ok: true })
  t.match(
    (await read(world, id)).signals.map(signal => signal.id),
    ['s1', 's2'],
  )
  t.strictSame((await read(world, id)).answers, { load_max: 5 })
  t.match(await observe(world, id, { signal: 'disk' }), [refusedFor('signal')])
})

t.test(
  'answer that the new revision refuses is replaced by the answer in the request, else by the default, else removed (v3 6.5)',
  async t => {
    const fields = (...list: object[]) => ({
      ...host,
      version: list.length + 2,
      fields: [{ ...host.fields[0], max: 10 }, ...list],
    })
    const owner = { key: 'owner', type: 'string', required: true }
    const size = { key: 'size', type: 'integer', min: 1, required: true }
    const world = await stage(fields(owner), fields(owner, size))
    const { id } = await create(world, { answers: { load_max: 99 } })
    const before = await world.subject(id)
    const refused: [string, object, string][] = [
      ['host@3', {}, 'owner'],
      ['host@3', { owner: null }, 'owner'],
      ['host@3', { owner: 'Ada', load_max: 11 }, 'load_max'],
      ['host@3', { owner: 'Ada', speed: 1 }, 'speed'],
      ['host@4', { owner: 'Ada' }, 'size'],
      ['host@4', { owner: 'Ada', size: 0 }, 'size'],
    ]
    for (const [template, sent, field] of refused) t.match(await rebind(world, id, template, sent), refusedFor(field), field)
    t.equal((await world.subject(id))?.rev, before?.rev, 'nothing refused leaves a trace')
    await rebind(world, id, 'host@3', { owner: 'Ada' })
    t.strictSame((await read(world, id)).answers, { load_max: 4, owner: 'Ada' }, '99 is no answer any more')
    await rebind(world, id, 'host@4', { size: 3, load_max: 10 })
    t.strictSame((await read(world, id)).answers, { load_max: 10, owner: 'Ada', size: 3 })
  },
)

t.test('Resource is bound to another revision only if its Template is published (v3 6.5)', async t => {
  const world = await stage()
  const { id } = await create(world)
  t.match(await rebind(world, id, 'host@1'), refusedFor('template'), 'its own')
  t.match(await rebind(world, await world.create()), refusedFor('template'), 'a website monitor')
  await world.command('shop000001', { kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' } as never)
  t.match(await rebind(world, 'shop000001'), refusedFor('template'), 'a custom subject')
  await world.command(id, { kind: 'archive-resource' } as never)
  t.match(await rebind(world, id), { ok: false, error: { code: 'invalid_state' } }, 'an archived one')
})

t.test('open incidents close as removed, even if both revisions have their rule (v3 6.5)', async t => {
  const world = await stage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', state: 'problem' }, { signal: 'load', value: 9 }, { signal: 'load', value: 9 })
  const alerts = await world.alerts(id)
  t.strictSame(alerts.map(({ kind }) => kind).sort(), ['opened', 'problem'])
  const at = world.clock.now()
  t.match(await rebind(world, id), { ok: true })
  const [first, other, again] = await world.incidents(id)
  for (const one of [first, other]) t.match(one, { open: 0, closedReason: 'rule_removed', closedAt: at, condition: 'problem' })
  t.match(again, { ruleKey: 'down', open: 1, troubleSince: at, confirmedAt: null }, 'what still fails opens anew at once')
  const decided = (await world.alerts(id)).map(({ kind }) => kind).sort()
  t.strictSame(decided, ['opened', 'opened', 'problem', 'withdrawn'], 'for who keeps alerts open until they are ended (v3 10.16)')
  for (let i = 0; i < 12; i++) {
    await world.clock.advance(minute / 2)
    await observe(world, id, { signal: 'probe', state: 'problem' })
  }
  t.match(await ruleOf(world, id, 'down'), { standing: 'problem' }, 'and is confirmed after its own wait')
  t.strictSame((await kindsOf(world, id)).filter(kind => kind === 'closed').length, 2)
  t.strictSame(await replayFaults(world, id), [])
})

for (const isTogether of [true, false])
  t.test(
    `counts and baselines continue after a rebind when ${isTogether ? 'a report' : 'nothing'} arrives in its round (v3 4.6)`,
    async t => {
      const world = await stage()
      const { id } = await create(world)
      await observe(world, id, { signal: 'load', value: 1, sentId: 'first' })
      for (const value of [10, 10, 12, 14]) {
        await world.clock.advance(second)
        await observe(world, id, { signal: 'load', value })
      }
      await observe(world, id, { signal: 'load', value: 40, atUs: world.clock.now() * 1_000 })
      // These values are sent right before the rebind, in the same round.
      const sent = [0, 50, 50].map(value => ({ signal: 'load', value }))
      const late = isTogether ? observe(world, id, ...sent) : null
      const rebinding = rebind(world, id)
      await late
      t.match(await rebinding, { ok: true })
      const [often, unusual] = isTogether
        ? ['50 (4 of 5 in 3600 s)', '50 (1d median 11 of 8 readings)']
        : ['40 (5 of 5 in 3600 s)', '40 (1d median 10 of 5 readings)']
      t.match(await ruleOf(world, id, 'often'), { status: isTogether ? 'no_data' : 'problem', explanation: `load ${often}` })
      t.match(await ruleOf(world, id, 'unusual'), { status: 'problem', explanation: `load ${unusual}` })
      await rebind(world, id, 'host@1')
      await observe(world, id, { signal: 'load', value: 1 })
      await rebind(world, id)
      const matching = isTogether ? 3 : 4
      t.match(await ruleOf(world, id, 'often'), { explanation: `load 1 (${matching} of 5 in 3600 s)` }, 'and over another two')
    },
  )

t.test(
  'declared signal becomes a signal of the Template and keeps its Observations, and a second rebind makes it declared again (v3 4.6)',
  async t => {
    const disk = { signal: 'disk', field: 'value', operator: 'gt', operand: 2 }
    const full = { key: 'full', action: 'Clear it.', wait, decision: { ...disk, min_count: 3, within_seconds: 600 } }
    const grown = { key: 'grown', action: 'Look.', wait, decision: { ...disk, baseline: { days: 1, min_samples: 2 } } }
    const world = await stage({ ...revised, version: 3, rules: [full, grown] })
    const { id } = await create(world)
    const declare = (value: number) => observe(world, id, { signal: 'disk', value, signalKind: 'event' })
    const [first] = await declare(3)
    for (const value of [4, 9]) await declare(value)
    t.match(await rebind(world, id, 'host@3'), { ok: true })
    t.match(await ruleOf(world, id, 'full'), { explanation: 'disk 9 (3 of 3 in 600 s)', signals: ['disk'] })
    t.match(await ruleOf(world, id, 'grown'), { explanation: 'disk 9 (1d median 3.5 of 2 readings)' })
    await rebind(world, id, 'host@1')
    t.match(await declare(1), [{ ok: true, signal: (first as { signal: string }).signal, createdSignal: false }])
    await rebind(world, id, 'host@3')
    t.match(await ruleOf(world, id, 'full'), { status: 'no_data', explanation: 'disk 1 (2 of 3 in 600 s)' })
  },
)

t.test(
  'repeated Observation gets its first reply when its declared signal has become a signal of the Template (v3 7.2)',
  async t => {
    const world = await stage()
    const { id } = await create(world)
    const sent = { signal: 'disk', value: 3, signalKind: 'event' }
    const byId = await observe(world, id, { ...sent, sentId: 'mine' })
    const byContent = { ...sent, signal: 'tape', atUs: world.clock.now() * 1_000 }
    const declared = await observe(world, id, byContent)
    await publish(
      world,
      readManifest({ ...revised, version: 3, signals: [...revised.signals, { key: 'tape', kind: 'event' }] }, nothing),
    )
    t.match(await rebind(world, id, 'host@3'), { ok: true })
    t.match(byId, [{ ok: true, createdSignal: true }])
    t.strictSame(await observe(world, id, { ...sent, sentId: 'mine' }), byId)
    t.match(declared, [{ ok: true, createdSignal: true }])
    t.strictSame(await observe(world, id, byContent), declared)
  },
)

t.test('second of two rebinds in one round decides which signals and readings are kept (v3 4.6)', async t => {
  const world = await stage()
  const { id } = await create(world)
  await rebind(world, id)
  for (let i = 0; i < 6; i++) await observe(world, id, { signal: 'load', value: 5, atUs: (world.clock.now() - 9 + i) * 1_000 })
  const before = await ruleOf(world, id, 'often')
  const both = [rebind(world, id, 'host@1'), rebind(world, id, 'host@2')]
  for (const reply of await Promise.all(both)) t.match(reply, { ok: true })
  t.equal((await ruleOf(world, id, 'often'))?.explanation, before?.explanation)
  t.match((await ruleOf(world, id, 'unusual'))?.explanation, /of 5 readings/)
})

t.test('report and rebind that are sent together take effect in their order (v3 6.5)', async t => {
  const world = await stage()
  const { id } = await create(world)
  await rebind(world, id)
  const early = observe(world, id, { signal: 'disk', value: 1 })
  const rebinding = rebind(world, id, 'host@1')
  const late = observe(world, id, { signal: 'disk', value: 2 }, { signal: 'probe', state: 'problem' })
  t.match(await early, [{ ok: true, signal: 's3' }])
  t.match(await rebinding, { ok: true })
  t.match(await late, [refusedFor('signal'), { ok: true, signal: 's1' }])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', standing: 'unconfirmed' })
})

/** Store whose process dies after `death.left` more writes. */
function dying(store: Store, death: { left: number }): Store {
  const writing = new Set(['putInOrder', 'insert', 'replace', 'advance', 'upsert', 'delete'])
  return new Proxy(store, {
    get: (all, name: keyof Store) => {
      if (!writing.has(name)) return all[name]
      return async (...given: never[]) => {
        if (death.left-- <= 0) throw new StoreError('unavailable', 'dead')
        return await (all[name] as (...given: never[]) => unknown)(...given)
      }
    },
  })
}

t.test('successor finishes a rebind when the keeper dies between any two writes of the rebind (v3 6.5)', async t => {
  for (let left = 0; left <= 4; left++) {
    const death = { left: Number.POSITIVE_INFINITY }
    let made = 0
    const world = createWorld(store => (made++ === 0 ? dying(store, death) : store))
    for (const document of [host, revised]) await publish(world, readManifest(document, nothing))
    const first = await world.startOne({ exclusive: true })
    const { id } = await create(world)
    for (let i = 0; i < 6; i++) await observe(world, id, { signal: 'load', value: 9, atUs: (world.clock.now() - 9 + i) * 1_000 })
    await world.clock.advance(20 * second)
    death.left = left
    void rebind(world, id).catch(() => undefined)
    await world.clock.advance(5 * second)
    world.hub.cut(first.bus)
    await world.clock.advance(minute)
    await world.startOne({ exclusive: true })
    await world.clock.advance(minute)
    t.equal((await world.subject(id))?.template, left === 0 ? 'host@1' : 'host@2')
    if (left === 0) await rebind(world, id)
    const [closed, opened] = await world.incidents(id)
    t.match(closed, { ruleKey: 'busy', open: 0, closedReason: 'rule_removed' }, `after ${left} writes`)
    t.match(opened, { ruleKey: 'often', open: 1 }, `after ${left} writes`)
    t.strictSame(
      (await world.alerts(id)).map(({ kind }) => kind),
      ['problem', 'withdrawn', 'problem'],
      `after ${left} writes`,
    )
    t.strictSame(await replayFaults(world, id), [])
  }
})

t.test('revisions of a round stay in memory when other revisions are removed from the cache', async t => {
  const { store } = createWorld()
  const template = readManifest(host, nothing)
  const revisions = new TemplateRevisions(3)
  const load = (...versions: number[]) =>
    revisions.load(
      store,
      versions.map(version => `w/host@${version}`),
    )
  const isKnown = (version: number) => revisions.find({ workspaceId: 'w', template: `host@${version}` }) !== null
  for (let version = 1; version <= 5; version++) await publish({ store }, { ...template, version } as Template)
  await load(1, 2, 3)
  await load(1, 4, 5)
  t.strictSame([1, 2, 3, 4, 5].filter(isKnown), [1, 4, 5])
})
