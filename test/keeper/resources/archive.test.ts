// Archiving of Resources of every kind: no later event leads to a verdict, a check or a message. Reference: docs/reference/v3.md, 6.4.
import t from 'tap'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { mergeNewer, mergeNewerSeries } from '../../../services/keeper/partition/freshness.ts'
import { nothingHeld } from '../../../services/keeper/step/types.ts'
import { entryAt } from '../../support/check-entries.ts'
import { createWorld, minute } from '../world.ts'
import { create, host, kindsOf, observe, publish, read, setStage, type World } from './resource-world.ts'

const archive = (world: World, id: string) => world.command(id, { kind: 'archive-resource' } as never)
const rowsOf = (world: World, id: string) =>
  world.store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
const windowsOf = (world: World, id: string) => world.store.find('windows', { where: { subjectId: id }, limit: 10 })
const entryOf = (world: World, id: string) => entryAt(world.client, 'aaaa', id)

/** Resource with a confirmed rule `busy`, an unconfirmed rule `down`, and a running window. */
async function troubled(world: World): Promise<string> {
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', state: 'problem' }, { signal: 'load', value: 9 }, { signal: 'load', value: 8 })
  await world.command(id, { kind: 'set-maintenance', minutes: 60, by: 'Ada' } as never)
  await world.clock.advance(minute)
  return id
}

async function replayFaults(world: World, id: string): Promise<string[]> {
  const history = (await world.history(id)).sort((one, other) => one.sequence - other.sequence)
  const incidents = await world.incidents(id)
  return incidents.flatMap(incident => {
    const records = history.filter(({ incidentId }) => incidentId === incident.id)
    return replayIncident(incident, records, null).faults
  })
}

t.test(
  'archive closes the incidents and the window, and the Resource then reads as at the instant of the archive (v3 6.4)',
  async t => {
    const world = await setStage()
    const id = await troubled(world)
    const before = await read(world, id)
    const alerts = await world.alerts(id)
    const archivedAt = world.clock.now()
    const reply = await archive(world, id)
    t.match(reply, { ok: true, result: { archivedAt, maintenance: null, key: before.key, signals: before.signals } })
    const incidents = await world.incidents(id)
    t.equal(incidents.length, 2)
    for (const incident of incidents)
      t.match(incident, { open: 0, status: 'ok', condition: 'problem', closedReason: 'resource_archived', closedAt: archivedAt })
    t.match(await windowsOf(world, id), [{ state: 'cancelled', cancelledAt: archivedAt }])
    t.match(await world.subject(id), { archivedAt, dueAt: null, hasOutbox: 1 })
    const spoken = before.rules.map(({ key, status, explanation, since }) => ({ key, status, explanation, since }))
    await world.clock.advance(10 * minute)
    t.match((await read(world, id)).rules, spoken, 'what fell quiet since is not said')
    const later = (await world.alerts(id)).filter(({ kind }) => kind !== 'withdrawn')
    t.strictSame(later, alerts, 'nobody is told: no recovery, no reminder, but where an alert stays open (v3 10.16)')
    t.match(await world.subject(id), { archivedAt, dueAt: null, hasOutbox: 0 })
    t.strictSame((await kindsOf(world, id)).filter(kind => kind === 'closed').length, 2)
    t.strictSame(await replayFaults(world, id), [])
  },
)

t.test('archived Resource refuses changes as `invalid_state`, but first names a field that is wrong (v3 1.3, 6.4)', async t => {
  const world = await setStage()
  const id = await troubled(world)
  const [incident] = await world.incidents(id)
  const first = { id: 'archive1', kind: 'archive-resource' }
  const reply = await world.command(id, first as never)
  t.strictSame(await world.command(id, first as never), reply, 'a repeated command gets its first answer')
  const before = await world.subject(id)
  const update = { kind: 'update-resource', name: null, answers: null, labels: null }
  const rebind = { kind: 'rebind-resource', workspaceId: 'w', answers: {} }
  const archived = { code: 'invalid_state', details: `Resource key-${id} is archived.` }
  const cases: [title: string, body: object, error: object][] = [
    ['archive', { kind: 'archive-resource' }, archived],
    ['an edit', { ...update, name: 'Other' }, archived],
    ['an edit with a fault', { ...update, answers: { load_max: 'x' } }, { code: 'validation', facts: { field: 'load_max' } }],
    ['rebind to its own', { ...rebind, template: 'host@1' }, { code: 'validation', facts: { field: 'template' } }],
    ['maintenance', { kind: 'set-maintenance', minutes: 1, by: 'Ada' }, archived],
    ['its end', { kind: 'end-maintenance' }, archived],
    [
      'an acknowledgement',
      { kind: 'acknowledge-incident', incidentId: incident?.id, by: 'Ada', via: 'api' },
      { code: 'not_found' },
    ],
    ['maintenance of generation 2', { kind: 'start-maintenance', endsAt: 4e12, by: 'Ada' }, { code: 'not_found' }],
    ['a deletion of generation 2', { kind: 'delete-subject', subjectKind: 'website' }, { code: 'not_found' }],
  ]
  for (const [title, body, error] of cases) t.match(await world.command(id, body as never), { ok: false, error }, title)
  const rows = await rowsOf(world, id)
  t.match(await observe(world, id, { signal: 'probe' }, { signal: 'load', value: 1, sentId: 'late' }), [
    { ok: false, error: { code: 'validation', facts: { field: 'resource' } } },
    { ok: false, error: { details: `Resource key-${id} is archived and accepts no Observations.` } },
  ])
  const nothing = { signalKind: null, sentId: null, atUs: null, value: null, reason: '', labels: {}, body: null }
  const unknown = {
    workspaceId: 'w',
    slug: `key-${id}`,
    name: 'x',
    template: 'host@1',
    answers: {},
    boundTo: null,
    isTrial: false,
  }
  const observation = { signal: 'probe', state: 'ok', ...nothing }
  t.match(await world.command(id, { kind: 'first-report', ...unknown, observation } as never), {
    result: { results: [{ ok: false, error: { facts: { field: 'resource' } } }] },
  })
  t.strictSame(await rowsOf(world, id), rows)
  t.strictSame(await world.store.find('observationIds', { limit: 10 }), [])
  t.equal((await world.subject(id))?.rev, before?.rev)
})

t.test("archived website monitor loses its check entry, and a prober's late report is dropped (v3 6.4)", async t => {
  const world = await setStage()
  const id = await world.create()
  await world.report(id, false)
  await world.clock.advance(minute)
  t.not(await entryOf(world, id), null)
  t.match(await archive(world, id), { ok: true, result: { check: { locations: ['aaaa'] } } })
  await world.clock.advance(1_000)
  t.equal(await entryOf(world, id), null)
  t.match(await world.subject(id), { checkRev: null, checkLocations: [], check: { locations: ['aaaa'] } })
  const { rev } = (await world.subject(id)) as SubjectDocument
  const observations = await world.store.find('observations', { limit: 100 })
  await world.report(id, true)
  await world.report(id, false, { rev: rev + 1 })
  await world.clock.advance(10 * minute)
  t.strictSame(await world.store.find('observations', { limit: 100 }), observations)
  t.match(await world.incidents(id), [{ closedReason: 'resource_archived', open: 0 }])
  t.strictSame(await world.alerts(id), [], 'it was never confirmed')
  t.match((await read(world, id)).rules, [{ key: 'availability', status: 'problem', openIncident: null }])
})

t.test('archived custom subject is `not_found` in generation 2 (v3 6.4)', async t => {
  const world = await setStage()
  const id = 'shop000001'
  const send = (body: object) => world.command(id, body as never)
  await send({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
  await send({ kind: 'create-signal', name: 'orders', signalKind: 'custom_event', meta: '{}', convert: false })
  const report = {
    kind: 'report-observation',
    signal: 'orders',
    observedAtUs: null,
    status: 'ok',
    value: 1,
    error: '',
    labels: {},
  }
  t.match(await send(report), { ok: true })
  t.match(await archive(world, id), { ok: true, result: { kind: 'custom', template: null } })
  for (const body of [
    report,
    { kind: 'report-observations', observations: [report] },
    { kind: 'create-signal', name: 'more', signalKind: 'custom_event', meta: '{}', convert: false },
    { kind: 'delete-subject', subjectKind: 'custom' },
  ])
    t.match(await send(body), { ok: false, error: { code: 'not_found', message: 'Subject not found' } }, body.kind)
  t.equal((await rowsOf(world, id)).length, 1)
  t.match(await send({ kind: 'delete-subject' }), { ok: true }, 'it leaves with its workspace')
})

/** Store whose process dies at write number `death.atWrite`, before or after the write. `death.writes` counts the writes. */
function dying(store: Store, death: { atWrite: number | null; after: boolean; writes: number }): Store {
  const writing = new Set(['putInOrder', 'insert', 'replace', 'advance', 'upsert', 'delete'])
  return new Proxy(store, {
    get: (all, name: keyof Store) => {
      if (!writing.has(name)) return all[name]
      return async (...given: never[]) => {
        if (death.atWrite === null) return await (all[name] as (...given: never[]) => unknown)(...given)
        const write = ++death.writes
        if (write < death.atWrite || (write === death.atWrite && death.after)) {
          const result = await (all[name] as (...given: never[]) => unknown)(...given)
          if (write < death.atWrite) return result
        }
        throw new StoreError('unavailable', 'dead')
      }
    },
  })
}

for (const after of [false, true])
  t.test(
    `successor finishes an archive when the keeper died ${after ? 'after' : 'before'} any write of the archive (v3 6.4)`,
    async t => {
      for (let atWrite = 1; atWrite <= 6; atWrite++) {
        const death = { atWrite: null as number | null, after, writes: 0 }
        let made = 0
        const world = createWorld(store => (made++ === 0 ? dying(store, death) : store))
        await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
        const first = await world.startOne({ exclusive: true })
        const ids = [await troubled(world), await world.create()]
        const [, site = ''] = ids
        await world.report(site, false)
        await world.clock.advance(20_000)
        death.atWrite = atWrite
        for (const id of ids) void archive(world, id).catch(() => undefined)
        await world.clock.advance(5_000)
        world.hub.cut(first.bus)
        await world.clock.advance(minute)
        await world.startOne({ exclusive: true })
        await world.clock.advance(minute)
        for (const id of ids) {
          if ((await world.subject(id))?.archivedAt === null) t.match(await archive(world, id), { ok: true })
          await world.clock.advance(1_000)
          const incidents = await world.incidents(id)
          t.ok(incidents.length > 0)
          for (const one of incidents) t.match(one, { open: 0, closedReason: 'resource_archived' }, `write ${atWrite}`)
          t.strictSame(await replayFaults(world, id), [], `write ${atWrite}`)
          t.match(
            (await windowsOf(world, id)).map(({ state }) => state),
            id === site ? [] : ['cancelled'],
          )
        }
        t.equal(await entryOf(world, site), null, `write ${atWrite}`)
        await world.clock.advance(15_000)
        for (const id of ids) t.match(await world.subject(id), { hasOutbox: 0, dueAt: null })
      }
    },
  )

t.test('newer readings do not change an archived Resource when it is loaded again', async t => {
  const world = await setStage()
  const id = await world.create()
  await world.report(id, true)
  await archive(world, id)
  const subject = (await world.subject(id)) as SubjectDocument
  const now = world.clock.now() + minute
  const context = {
    now,
    held: nothingHeld,
    confirmAfterMs: 0,
    closeAfterMs: 0,
    templateOf: () => null as never,
    stored: noReports,
  }
  const failing = ['aaaa', now, now, 0, 503, 1, 'status 503'] as const
  for (const rev of [subject.rev, subject.rev - 1]) {
    const laid = mergeNewer(subject, [id, rev, now, now, [failing as never]], context)
    t.strictSame(laid, { subject, change: 'nothing' })
    t.strictSame(mergeNewerSeries(laid, [{ signalKey: 's1' } as never], context), { subject, change: 'nothing' })
  }
})

t.test('archive and Observations that are sent together take effect in their order (v3 6.4)', async t => {
  const world = await setStage()
  for (const before of [0, 1, 3]) {
    const { id } = await create(world)
    const sent = (value: number) => observe(world, id, { signal: 'load', value })
    const earlier = Array.from({ length: before }, (_, i) => sent(i))
    const archiving = archive(world, id)
    const later = [sent(8), sent(9)]
    t.match(await archiving, { ok: true })
    for (const [one] of await Promise.all(earlier)) t.match(one, { ok: true })
    for (const [one] of await Promise.all(later)) t.match(one, { ok: false, error: { facts: { field: 'resource' } } })
    t.equal((await rowsOf(world, id)).length, before)
  }
})
