// The directory over the bus on the memory store: every verb, also with concurrent requests and after crashes.

import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Bucket } from '#shared/bus/port.ts'
import { watchProbers } from '#shared/bus/probers/prober-presence.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { slugCandidate, slugOf } from '#shared/text/slug.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { type DirectoryOptions, startDirectory } from '../../services/directory/app.ts'
import type { DirectoryContext } from '../../services/directory/context.ts'
import { bootstrap, confirmFirstKey } from '../../services/directory/people/bootstrap.ts'
import { reserveName } from '../../services/directory/subjects/names.ts'
import { openIncident } from '../conformance/routes.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { websiteCheck } from '../support/checks.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { dyingStore } from '../support/store/dying-store.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

async function start(
  t: { teardown(run: () => Promise<void>): unknown },
  store: Store = createMemoryStore(),
  options: DirectoryOptions = {},
) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const bus = hub.connect()
  const around = { bus, clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around, options)
  t.teardown(() => service.stop())
  const asker = hub.connect()
  const { ask } = createDirectoryClient(asker, clock)
  return { clock, hub, bus, store, ask, asker, service, metrics: around.metrics }
}

function onEachStore(title: string, run: (t: Test, store: Store) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore()))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'directory.db'))
    t.teardown(() => store.close())
    await run(t, store)
  })
}

const check = websiteCheck({ url: 'https://a.example', locations: [] })

const slugs: [name: string, slug: string][] = [
  ['Shop', 'shop'],
  ['  My  Shop!! ', 'my-shop'],
  ['Zoë & Söhne', 'zoë-söhne'],
  ['ZOE\u0308', 'zoë'],
  ['İstanbul', 'istanbul'],
  ['Магазин №5', 'магазин-5'],
  ['东京 2', '东京-2'],
  ['٣ shops', '٣-shops'],
  ['Ⅳ ½ x²', 'x'],
  ['***', ''],
  ['😀', ''],
  ['a\u0000b/c', 'a-b-c'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} yy`, 'x'.repeat(63)],
  ['𐐀'.repeat(65), '𐐨'.repeat(64)],
]
for (const [name, slug] of slugs) t.equal(slugOf(name), slug, `the slug of ${JSON.stringify(name.slice(0, 20))}`)
t.equal(slugCandidate('x'.repeat(64), 12), `${'x'.repeat(64)}-12`, 'the suffix comes after the cut')

onEachStore('names', async (t, given) => {
  const { ask, store, clock } = await start(t, given)
  const reserve = async (name: string, subjectId: string, workspaceId = 'w') =>
    (await ask('reserve-name', { workspaceId, name, subjectId, fallback: 'website' })).slug

  await t.test('slug is given once within a workspace, and may be given in another workspace', async t => {
    t.equal(await reserve('Shop', 's1'), 'shop')
    t.equal(await reserve('SHOP', 's2'), 'shop-2')
    t.equal(await reserve('Shop', 's3', 'other'), 'shop')
    t.equal(await reserve('***', 's4'), 'website')
  })
  await t.test('repeated reservation for a subject returns the same slug', async t => {
    t.equal(await reserve('Shop', 's2'), 'shop-2')
    t.equal(await reserve('Shop', 's2'), 'shop-2')
    t.equal(await reserve('Shop', 's3', 'third'), 'shop', 'in another workspace it has none yet')
  })
  await t.test('repeated request gets the slug of the first request, even if the first request still runs', async t => {
    await reserve('Twice', 't1')
    let first: string | null = null
    const between: Store['get'] = async (collection, ids) => {
      if (ids.length > 1) first ??= await reserve('Twice', 't2')
      return store.get(collection, ids)
    }
    const request = { workspaceId: 'w', name: 'Twice', subjectId: 't2', fallback: 'website' }
    const repeated = await reserveName({ store: { ...store, get: between }, clock } as unknown as DirectoryContext, request)
    t.equal(first, 'twice-2')
    t.strictSame(repeated, { slug: 'twice-2' })
  })
  await t.test('200 concurrent requests get 200 slugs without a gap', async t => {
    const given = await Promise.all(Array.from({ length: 200 }, (_, i) => reserve('Crowd', `c${i}`)))
    const expected = Array.from({ length: 200 }, (_, i) => slugCandidate('crowd', i + 1))
    t.strictSame(new Set(given), new Set(expected))
  })
  await t.test('unused reservation expires after a minute', async t => {
    t.equal(await reserve('Lapse', 'l1'), 'lapse')
    clock.advance(limits.directory.reservationMs)
    t.equal(await reserve('Lapse', 'l2'), 'lapse-2')
    clock.advance(1)
    t.equal(await reserve('Lapse', 'l3'), 'lapse')
    t.equal(await reserve('Lapse', 'l4'), 'lapse-3', 'taken over, it begins anew; the second is a moment from lapsing')
  })
  await t.test('one of two concurrent requests gets a name whose reservation has expired', async t => {
    await reserve('Both', 'b1')
    clock.advance(limits.directory.reservationMs + 1)
    t.strictSame(new Set(await Promise.all([reserve('Both', 'b2'), reserve('Both', 'b3')])), new Set(['both', 'both-2']))
  })
  await t.test('name of an existing subject stays reserved at any age, and the name of a deleted subject is free', async t => {
    await reserve('Used', 'used000001')
    const subject = subjectDocument('used000001', 'w', 'used', 'Used', check, clock.now())
    await store.insert('subjects', [subject])
    clock.advance(limits.keeper.tombstoneMs)
    t.equal(await reserve('Used', 'u2'), 'used-2')
    await store.replace('subjects', [{ ...subject, rev: 2, deletedAt: clock.now() }])
    t.equal(await reserve('Used', 'u3'), 'used')
  })
  await t.test('name of a subject that is deleted in its first minute is free at once, for one new subject only', async t => {
    await reserve('Brief', 'brief00001')
    t.equal(await reserve('Brief', 'brief00002'), 'brief-2', 'its subject may be on its way')
    const subject = subjectDocument('brief00001', 'w', 'brief', 'Brief', check, clock.now())
    await store.insert('subjects', [subject])
    t.equal(await reserve('Brief', 'brief00003'), 'brief-3', 'its subject lives')
    await store.replace('subjects', [{ ...subject, rev: 2, deletedAt: clock.now() }])
    const given = await Promise.all([reserve('Brief', 'brief00004'), reserve('Brief', 'brief00005')])
    t.strictSame(new Set(given), new Set(['brief', 'brief-4']))
  })
})

onEachStore('keys', async (t, given) => {
  const { ask, store, clock, hub } = await start(t, given)
  await bootstrap({ store, clock }, { location: 'local' })
  const owner = await ask('find-user', { username: 'owner' })
  const token = makeToken()
  const tokenHash = hashToken(token)
  const order = { id: 'mykey', userId: owner!.id, description: 'mine', tokenHash, prefix: tokenPrefix(token) }
  const made = await ask('create-key', order)

  await t.test('new key is valid, belongs to its owner and expires after 180 days', async t => {
    t.match(made, { username: 'owner', description: 'mine', lastUsedAt: null, expiresAt: clock.now() + 180 * 86_400_000 })
    t.ok(token.startsWith(made.prefix))
    t.match(await ask('authenticate', { tokenHash }), {
      keyId: made.id,
      displayName: 'owner',
      disabled: false,
      memberships: [{ role: 'owner' }],
    })
  })
  await t.test('token of a key is not stored', async t => {
    t.notMatch(JSON.stringify(await store.find('keys', { limit: 100 })), token)
    t.notMatch(JSON.stringify(await ask('list-keys', { userId: null })), token)
  })
  await t.test('key is refused for an unknown user or a reused id or token, and a retry creates no second key', async t => {
    await t.rejects(ask('create-key', { ...order, id: 'other', userId: 'nobody' }), { code: 'not_found' })
    t.strictSame(await ask('create-key', order), made)
    await t.rejects(ask('create-key', { ...order, tokenHash: hashToken(makeToken()) }), { code: 'validation' })
    await t.rejects(ask('create-key', { ...order, id: 'other' }), { code: 'validation' })
    t.equal(await store.count('keys', {}), 1)
  })
  await t.test('last use of a key is never replaced by an earlier instant', async t => {
    await ask('touch-keys', { usedAt: { [made.id]: 2_000, nobody: 5 } })
    await ask('touch-keys', { usedAt: { [made.id]: 1_000 } })
    t.match(await ask('list-keys', { userId: null }), [{ id: made.id, lastUsedAt: 2_000, username: 'owner' }])
  })
  await t.test('expired key is unknown', async t => {
    const { expiresAt } = made
    const [key] = await store.get('keys', [made.id])
    await store.replace('keys', [{ ...key!, rev: key!.rev + 1, expiresAt: clock.now() }])
    t.equal(await ask('authenticate', { tokenHash }), null)
    await store.replace('keys', [{ ...key!, rev: key!.rev + 2, expiresAt }])
  })
  await t.test('deleted key is unknown, its deletion reaches gateways, and a later use does not restore the key', async t => {
    const told: string[] = []
    const watch = await hub
      .connect()
      .bucket('revocations')
      .watch('*.*', { onEntry: entry => void told.push(entry.key) })
    t.strictSame(await ask('delete-key', { keyId: made.id, userId: null }), { id: made.id })
    t.equal(await ask('authenticate', { tokenHash }), null)
    await ask('touch-keys', { usedAt: { [made.id]: 9_000 } })
    t.strictSame(await ask('list-keys', { userId: null }), [])
    await t.rejects(ask('delete-key', { keyId: made.id, userId: null }), { code: 'not_found' })
    t.strictSame(told, [`key.${made.id}`, `key.${made.id}`], 'told again: the first telling may have been lost')
    await watch.close()
  })
})

onEachStore('locations', async (t, given) => {
  const { ask, clock, hub, store, metrics } = await start(t, given)
  const presence = hub.connect().bucket('presence')
  const workers = async (name: string) =>
    (await ask('list-locations', {})).find(location => location.name === name)?.activeWorkers
  /** Lets time pass while a keeper sends its heartbeats. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= limits.presence.beatMs) {
      clock.advance(Math.min(left, limits.presence.beatMs))
      await presence.put(keys.keeperPresence('k1'), {})
    }
  }

  await t.test('location is created once by concurrent requests', async t => {
    const made = await Promise.all(Array.from({ length: 10 }, () => ask('ensure-location', { name: 'eu' })))
    t.equal(new Set(made.map(location => location.id)).size, 1)
    t.match(
      (await ask('list-locations', {})).map(location => location.name),
      ['eu'],
    )
  })
  await t.test('prober counts as live while its presence entry changes, and not after its stop or removal', async t => {
    const { id } = await ask('ensure-location', { name: 'eu' })
    await presence.put(`prober.${id}.one`, {})
    await presence.put(`prober.${id}.two`, {})
    t.equal(await workers('eu'), 2)
    await pass(limits.presence.goneMs - 1)
    await presence.put(`prober.${id}.one`, {})
    await pass(1)
    t.equal(await workers('eu'), 1)
    await presence.put(`prober.${id}.two`, {})
    t.equal(await workers('eu'), 2)
    await presence.delete(`prober.${id}.one`)
    t.equal(await workers('eu'), 1)
  })
  await t.test('prober counts as live for up to a minute while no heartbeat of any prober arrives', async t => {
    const { id } = await ask('ensure-location', { name: 'eu' })
    await presence.put(`prober.${id}.two`, {})
    await pass(limits.presence.beatMs)
    clock.advance(20_000)
    t.equal(await workers('eu'), 1, 'the bucket may have had no leader')
    await pass(limits.presence.goneMs - 3 * limits.presence.beatMs)
    t.equal(await workers('eu'), 1, 'that time counts for nothing')
    clock.advance(limits.bus.presenceAgeMs)
    t.equal(await workers('eu'), 0)
  })
  await t.test('live probers are counted by location name, and a location has the instant of its last heartbeat', async t => {
    const { id } = await ask('ensure-location', { name: 'eu' })
    const before = { id: `location_lost.${id}`, kind: 'location_lost', objectId: id, name: 'eu', raised: 0, unsent: [] }
    const never = { writer: '', since: 0, changedAt: 0, count: 0, summary: '', attempts: 0, claimedBy: null, dueAt: null }
    await store.upsert('conditions', [{ ...never, ...before, rev: 1, seenAt: clock.now() + 7 } as ConditionDocument])
    const seen = async () => (await ask('list-locations', {})).find(location => location.name === 'eu')?.lastSeenAt
    t.equal(await seen(), clock.now() + 7, 'as the notifiers noted it')
    clock.advance(1_000)
    await presence.put(`prober.${id}.three`, {})
    t.equal(await seen(), clock.now(), 'or as this directory heard it')
    const live = async () => /live_probers\{location="eu"\} (\d+)/.exec(await metrics.metrics())?.[1]
    t.equal(await live(), String(await workers('eu')))
    await ask('ensure-location', { name: 'us' })
    t.match(await metrics.metrics(), 'watchkeeper_directory_live_probers{location="us"} 0')
    await pass(limits.presence.goneMs)
    t.equal(await live(), '0')
  })
  await t.test('watch of the probers begins with those that are present', async t => {
    const handlers = Promise.withResolvers<Parameters<Bucket['watch']>[1]>()
    const watch: Bucket['watch'] = async (_filter, given) => {
      handlers.resolve(given)
      return { close: async () => undefined }
    }
    let isReady = false
    const watched = watchProbers({ watch } as unknown as Bucket, clock).finally(() => {
      isReady = true
    })
    const { onEntry, onReady } = await handlers.promise
    await new Promise(setImmediate)
    t.notOk(isReady)
    onEntry({ key: 'prober.aaaa.one', revision: 1, at: 0, value: {} })
    onReady?.()
    t.equal((await watched).activeWorkers('aaaa'), 1)
  })
  await t.test('presence entry that is repeated after a reconnect does not count as a heartbeat', async t => {
    let repeat = (): void => undefined
    let beats = 0
    const entry = { key: 'prober.aaaa.one', revision: 3, at: 0, value: {} }
    const watch: Bucket['watch'] = async (_filter, handlers) => {
      repeat = () => {
        handlers.onEntry(entry)
        handlers.onEntry({ key: keys.keeperPresence('k1'), revision: ++beats, at: 0, value: {} })
      }
      handlers.onReady?.()
      return { close: async () => undefined }
    }
    const probers = await watchProbers({ watch } as unknown as Bucket, clock)
    repeat()
    t.equal(probers.activeWorkers('aaaa'), 1)
    for (let passed = 0; passed < limits.presence.goneMs; passed += 1_000) {
      clock.advance(1_000)
      repeat()
    }
    t.equal(probers.activeWorkers('aaaa'), 0)
  })
})

onEachStore('reads', async (t, given) => {
  const { ask, store } = await start(t, given)
  await t.test('list of conditions has the oldest, whatever their ids', async t => {
    const { listed } = limits.operator
    const never = {
      rev: 1,
      writer: '',
      changedAt: 0,
      seenAt: 0,
      count: 0,
      summary: '',
      unsent: [],
      attempts: 0,
      claimedBy: null,
      dueAt: null,
    }
    const condition = (i: number): ConditionDocument => {
      const objectId = String(1_000 + i)
      return {
        ...never,
        id: `key_expiring.${objectId}`,
        kind: 'key_expiring',
        objectId,
        name: objectId,
        raised: 1,
        since: 10_000 - i,
      }
    }
    await store.insert(
      'conditions',
      Array.from({ length: listed + 50 }, (_, i) => condition(i)),
    )
    const found = await ask('list-conditions', {})
    t.equal(found.length, listed)
    t.strictSame([found[0]?.since, found.at(-1)?.since], [10_000 - listed - 49, 10_000 - 50])
  })
  const put = (id: string, change: object) =>
    store.upsert('subjects', [{ ...subjectDocument(id, 'w', id, id, check, 5), ...change }])

  await t.test('subject is returned without its internal state, and a deleted subject as null', async t => {
    await put('one', {})
    const view = {
      id: 'one',
      rev: 1,
      workspaceId: 'w',
      slug: 'one',
      name: 'one',
      kind: 'website',
      template: 'website-check@1',
      check,
    }
    t.strictSame(await ask('get-subject', { subjectId: 'one' }), { ...view, createdAt: 5, updatedAt: 5 })
    await put('gone', { deletedAt: 6 })
    t.equal(await ask('get-subject', { subjectId: 'gone' }), null)
    t.equal(await ask('get-subject', { subjectId: 'nothing' }), null)
  })
  await t.test(
    'incident, whether open or closed, is returned with the slug of its rule, unless its subject is deleted',
    async t => {
      const rule = { policyVersion: 1, policy: { language: 'reachability' }, verdict: null, incident: null }
      await put('owned', { kind: 'custom', name: 'Owned', rules: [{ ...rule, key: 'r1', slug: 'disk', name: 'Disk full' }] })
      await put('tomb', { deletedAt: 6 })
      const inputs = [
        { input: 'i1', value: 'problem', at: 5, reason: null },
        { input: 'i2', value: 'ok', at: 5, reason: null },
      ]
      const incident = {
        ...openIncident('owned', 'w', 5),
        ruleKey: 'r1',
        rule: { key: 'disk', name: 'Disk' },
        evidence: { inputs, omitted: 0, truncated: false },
      }
      const closed = {
        ...incident,
        id: 'owned.2',
        number: 2,
        ruleKey: 'r2',
        rule: { key: 'load', name: 'Load' },
        open: 0,
        status: 'ok',
        closedAt: 9,
        acknowledgedAt: 7,
        acknowledgedBy: 'Ada',
      }
      await store.upsert('incidents', [incident, closed, openIncident('tomb', 'w', 5)] as never)
      const view = {
        id: 'owned.1',
        publicId: createIncidentIds('').encode('owned.1'),
        subjectId: 'owned',
        subjectName: 'Owned',
        subjectKind: 'custom',
        workspaceId: 'w',
        number: 1,
        ruleKey: 'r1',
        ruleSlug: 'disk',
        ruleName: 'Disk full',
        status: 'pending',
        open: true,
        troubleSince: 5,
        confirmedAt: null,
        wellSince: null,
        closedAt: null,
        acknowledgedAt: null,
        acknowledgedBy: null,
        failing: ['i1'],
        unknown: [],
        ok: ['i2'],
      }
      t.strictSame(await ask('get-incident', { incidentId: 'owned.1' }), view)
      t.match(await ask('get-incident', { incidentId: 'owned.2' }), {
        open: false,
        status: 'ok',
        ruleSlug: 'load',
        ruleName: 'load',
        closedAt: 9,
        acknowledgedAt: 7,
        acknowledgedBy: 'Ada',
      })
      for (const incidentId of ['tomb.1', 'owned.3', 'nothing'])
        t.equal(await ask('get-incident', { incidentId }), null, incidentId)
      t.strictSame(
        (await ask('list-open-incidents', { workspaceId: 'w' })).items,
        [view],
        'the list shows the same, the open ones',
      )
    },
  )
  await t.test('records of an incident are returned complete, in pages within the message size of the bus', async t => {
    const count = 12
    await store.upsert('incidents', [{ id: 'told.1', rev: 1, subjectId: 'told' } as never])
    const entries = Array.from({ length: count }, (_, i) => ({
      id: `told.1.${i + 1}`,
      rev: 1,
      incidentId: 'told.1',
      subjectId: 'told',
      sequence: i + 1,
      at: i,
      explanation: 'x'.repeat(limits.request.pageBytes / 5),
    }))
    await store.upsert('history', entries as never)
    const seen: number[] = []
    for (let more = true; more; ) {
      const page = await ask('get-incident-records', { id: 'told.1', afterSequence: seen.at(-1) ?? 0 })
      t.ok(JSON.stringify(page.history).length <= limits.request.pageBytes + 2)
      seen.push(...page.history.map(entry => entry.sequence))
      more = page.more
      t.equal(page.held, null, 'nothing is told of its subject before the last page, and there is no subject')
    }
    t.strictSame(
      seen,
      entries.map(entry => entry.sequence),
    )
  })
  await t.test('last page of an open incident has the records that are still stored only in its subject', async t => {
    const incident = { version: 3, value: 'problem', context: { incidentId: 'holding.2' } }
    const rules = [
      { key: 'r1', incident: null },
      { key: 'r2', incident, verdict: { verdict: 'problem' }, policy: { language: 'reachability' } },
    ]
    const workspaceId = 'holdingws1'
    await store.upsert('incidents', [{ id: 'holding.2', rev: 1, subjectId: 'holding', workspaceId, confirmedAt: 1 } as never])
    await store.upsert('subjects', [{ id: 'holding', rev: 1, rules, workspaceId, template: null } as never])
    const destination = { rev: 1, workspaceId, enabled: true, default: false, type: 'slack', sendOnOpen: false }
    await store.upsert('destinations', [
      { ...destination, id: 'd1', name: 'Ops', nameKey: 'ops' },
      { ...destination, id: 'd2', name: 'Desk', nameKey: 'desk', default: true, defaultAt: 1 },
    ] as never)
    await store.upsert('deliveryTables', [
      { id: 'holding', rev: 1, workspaceId, selections: [{ destinationId: 'd1', alertKinds: ['problem'] }] } as never,
    ])
    // The delivery table of the subject decides alone; the default destination does not count.
    const recipients = { opened: [], problem: ['Ops'], no_data: [], recovery: [], acknowledged: [] }
    const { held } = await ask('get-incident-records', { id: 'holding.2', afterSequence: 0 })
    t.strictSame(held, { ruleKey: 'r2', snapshot: incident, verdict: { verdict: 'problem' }, mutedTo: null, recipients })
  })
  await t.test('directory returns whether a workspace exists', async t => {
    await store.upsert('workspaces', [{ id: 'there', rev: 1, name: 'There', createdAt: 5, members: {} } as never])
    t.equal(await ask('workspace-exists', { workspaceId: 'there' }), true)
    t.equal(await ask('workspace-exists', { workspaceId: 'nowhere' }), false)
  })
  await t.test('pages stay below 512 KiB and contain each item once, and the last page has no successor', async t => {
    const ids = Array.from({ length: 600 }, (_, i) => `p${String(i).padStart(3, '0')}`)
    for (const [i, id] of ids.entries())
      await put(id, { workspaceId: 'pages', createdAt: Math.floor(i / 7), check: { ...check, data: 'x'.repeat(4_000) } })
    await put('custom', { workspaceId: 'pages', kind: 'custom' })
    await put('deleted', { workspaceId: 'pages', deletedAt: 1 })
    const seen: string[] = []
    let after: string | null = null
    let pages = 0
    do {
      const page: { items: { id: string }[]; next: string | null } = await ask('list-websites', { workspaceId: 'pages', after })
      t.ok(JSON.stringify(page.items).length <= limits.request.pageBytes + 2)
      seen.push(...page.items.map(item => item.id))
      after = page.next
      pages++
    } while (after !== null)
    t.strictSame(seen, ids)
    t.ok(pages >= 5)
  })
  await t.test('item larger than a page is returned as a page of its own', async t => {
    for (const id of ['big1', 'big2'])
      await put(id, { workspaceId: 'big', check: { ...check, data: 'x'.repeat(limits.request.pageBytes) } })
    const first = await ask('list-websites', { workspaceId: 'big' })
    t.equal(first.items.length, 1)
    t.equal((await ask('list-websites', { workspaceId: 'big', after: first.next })).items[0]?.id, 'big2')
  })
  await t.test('malformed cursor is refused', async t => {
    for (const after of ['', 'x', '1:', `1:${'x'.repeat(65)}`]) {
      await t.rejects(ask('list-websites', { workspaceId: 'w', after }), { code: 'validation' }, after)
    }
  })
})

onEachStore('destinations', async (t, given) => {
  const { ask, store, clock, hub } = await start(t, given)
  const request = (change: Partial<AskRequest<'create-destination'>> = {}): AskRequest<'create-destination'> => ({
    workspaceId: 'w',
    name: 'Ops',
    type: 'slack',
    url: 'https://hooks.example/x',
    channel: '',
    default: false,
    transformationId: null,
    ...change,
  })
  const defaults = async (workspaceId: string) =>
    (await store.find('destinations', { where: { workspaceId }, limit: 100 }))
      .filter(destination => destination.default)
      .map(({ name }) => name)

  await t.test('repeated creation returns the first result', async t => {
    const first = await ask('create-destination', request({ id: 'same' }))
    t.strictSame(await ask('create-destination', request({ id: 'same' })), first)
    t.equal((await ask('list-destinations', { workspaceId: 'w' })).length, 1)
  })
  await t.test('concurrent creations of destinations get different numbers, and exactly one destination is default', async t => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask('create-destination', request({ workspaceId: 'many', name: `n${i}` }))),
    )
    t.equal(new Set(made.map(destination => destination.number)).size, 20)
    t.equal((await defaults('many')).length, 1)
  })
  await t.test('default: true moves the default mark to the new destination', async t => {
    await ask('create-destination', request({ workspaceId: 'move', name: 'a' }))
    await ask('create-destination', request({ workspaceId: 'move', name: 'b' }))
    t.strictSame(await defaults('move'), ['a'])
    clock.advance(1)
    await ask('create-destination', request({ workspaceId: 'move', name: 'c', default: true }))
    t.strictSame(await defaults('move'), ['c'])
  })
  await t.test('notifiers hear of each default that can get messages, so that it is told of what is open', async t => {
    const nudged: unknown[] = []
    await hub.connect().subscribe(subjects.destinationNudge, ({ body }) => void nudged.push(body))
    const first = await ask('create-destination', request({ workspaceId: 'told', name: 'first' }))
    t.strictSame(nudged.splice(0), [{ workspaceId: 'told' }], 'the first destination is the default')
    await ask('create-destination', request({ workspaceId: 'told', name: 'second' }))
    await ask('switch-destination', { workspaceId: 'told', id: first.id, enabled: false })
    t.strictSame(nudged.splice(0), [], 'another one, and a default that is switched off')
    await ask('change-destination', { workspaceId: 'told', id: first.id, enabled: true })
    t.strictSame(nudged, [{ workspaceId: 'told' }], 'a default that is switched on')
  })
  await t.test('newer default mark stays when the process dies before the older mark is cleared', async t => {
    await ask('create-destination', request({ workspaceId: 'crash', name: 'old' }))
    const [old] = await store.find('destinations', { where: { workspaceId: 'crash' }, limit: 1 })
    await store.insert('destinations', [
      { ...old!, id: 'new', number: 9_999, name: 'new', nameKey: 'new', updatedAt: old!.updatedAt + 1 },
    ])
    const listed = await ask('list-destinations', { workspaceId: 'crash' })
    t.strictSame(
      listed.map(({ name, default: isDefault }) => [name, isDefault]),
      [
        ['new', true],
        ['old', false],
      ],
    )
  })
  await t.test('one of two requests for the same name gets the name', async t => {
    const results = await Promise.allSettled(
      [1, 2].map(() => ask('create-destination', request({ workspaceId: 'race', name: 'Same' }))),
    )
    t.strictSame(results.map(result => result.status).sort(), ['fulfilled', 'rejected'])
    t.match(
      results.find(result => result.status === 'rejected'),
      { reason: { code: 'taken', message: 'Destination name taken' } },
    )
  })
  await t.test('transformation of a destination must belong to the same workspace', async t => {
    const transformation = {
      id: 'x',
      rev: 1,
      number: 7,
      workspaceId: 'w',
      name: 'T',
      nameKey: 't',
      template: '{}',
      createdAt: 0,
      updatedAt: 0,
    }
    await store.insert('transformations', [transformation])
    t.equal((await ask('create-destination', request({ name: 'With', transformationId: 7 }))).transformationId, 7)
    const foreign = ask('create-destination', request({ workspaceId: 'other', transformationId: 7 }))
    await t.rejects(foreign, { code: 'not_found', message: 'Transformation not found' })
  })
  await t.test('workspace has at most 100 destinations', async t => {
    for (let i = 0; i < 100; i++) await ask('create-destination', request({ workspaceId: 'full', name: `n${i}` }))
    await t.rejects(ask('create-destination', request({ workspaceId: 'full', name: 'more' })), { code: 'invalid_state' })
  })
})

t.test('requests', async t => {
  await t.test('request is refused when it breaks its contract or its verb is unknown', async t => {
    const { asker } = await start(t)
    const send = (verb: string, body: unknown) => asker.request(`ask.directory.${verb}`, body, { timeoutMs: 100 })
    t.match(await send('authenticate', { tokenHash: 'x' }), { ok: false, error: { code: 'malformed' } })
    t.match(await send('get-subject', null), { ok: false })
    for (const verb of ['nothing', 'constructor', '__proto__'])
      t.match(await send(verb, {}), { ok: false, error: { code: 'not_found' } }, verb)
  })
  await t.test('request fails with `unavailable` when the store is unavailable, and with `internal` at other errors', async t => {
    const broken = createMemoryStore()
    let error: Error = new StoreError('unavailable', 'secret')
    broken.find = () => Promise.reject(error)
    const { asker } = await start(t, broken)
    const list = () => asker.request('ask.directory.list-keys', { userId: null }, { timeoutMs: 100 })
    const unavailable = await list()
    t.match(unavailable, { ok: false, error: { code: 'unavailable' } })
    error = new Error('secret')
    const internal = await list()
    t.match(internal, { ok: false, error: { code: 'internal' } })
    t.notMatch(JSON.stringify([unavailable, internal]), 'secret')
  })
})

t.test('first start', async t => {
  const clock = createHandClock()
  const options = { location: 'local' }
  const counts = async (store: Store) =>
    Promise.all((['users', 'workspaces', 'memberships', 'locations', 'keys'] as const).map(name => store.count(name, {})))
  const keyOf = async (store: Store, token: string) =>
    (await store.find('keys', { where: { tokenHash: hashToken(token) }, limit: 1 }))[0]

  await t.test('first start creates owner, workspace, membership and location, and one key after its confirmation', async t => {
    const store = createMemoryStore()
    const { firstKey } = await bootstrap({ store, clock }, options)
    t.strictSame(await counts(store), [1, 1, 1, 1, 0])
    t.equal(await confirmFirstKey({ store, clock }, firstKey!), true)
    t.equal(await confirmFirstKey({ store, clock }, firstKey!), true, 'repeating it is harmless')
    t.strictSame(await counts(store), [1, 1, 1, 1, 1])
    const [user] = await store.find('users', { where: { username: 'owner' }, limit: 1 })
    t.match(await keyOf(store, firstKey!), { userId: user?.id })
    t.match(await store.find('memberships', { limit: 2 }), [{ userId: user?.id }])
    t.match(await store.find('workspaces', { limit: 2 }), [{ name: 'Default', members: { [user!.id]: 'owner' } }])
  })
  await t.test('second start offers no key, adds nothing, and restores nothing that was removed', async t => {
    const store = createMemoryStore()
    const { firstKey } = await bootstrap({ store, clock }, options)
    await confirmFirstKey({ store, clock }, firstKey!)
    const [workspace] = await store.find('workspaces', { limit: 1 })
    await store.delete('workspaces', [workspace!.id])
    await store.delete('keys', [(await keyOf(store, firstKey!))!.id])
    t.strictSame(await bootstrap({ store, clock }, options), { firstKey: null, workspaceId: workspace!.id })
    t.strictSame(await counts(store), [1, 0, 1, 1, 0])
    await bootstrap({ store, clock }, { location: 'another' })
    t.equal(await store.count('locations', {}), 2, 'its own location exists at every start')
  })
  await t.test('next start replaces a token that the operator never confirmed as stored', async t => {
    const store = createMemoryStore()
    const lost = (await bootstrap({ store, clock }, options)).firstKey!
    const kept = (await bootstrap({ store, clock }, options)).firstKey!
    t.not(kept, lost)
    t.equal(await confirmFirstKey({ store, clock }, lost), false, 'the process that lost hears so')
    t.equal(await store.count('keys', {}), 0, 'and nothing has come of it')
    const offered = (await store.get('settings', ['first-key']))[0]
    t.match(offered?.value, '"state":"offered"')
    t.equal(await confirmFirstKey({ store, clock }, kept), true)
    t.equal(await keyOf(store, lost), undefined)
    t.ok(await keyOf(store, kept))
  })
  await t.test('concurrent starts create one object of each kind and confirm one token', async t => {
    for (let i = 0; i < 20; i++) {
      const store = createMemoryStore()
      const tokens = (await Promise.all([1, 2].map(() => bootstrap({ store, clock }, options)))).map(({ firstKey }) => firstKey)
      const confirmed = await Promise.all(tokens.map(token => token !== null && confirmFirstKey({ store, clock }, token)))
      t.equal(confirmed.filter(Boolean).length, 1)
      t.ok(await keyOf(store, tokens[confirmed.indexOf(true)]!))
      t.strictSame(await counts(store), [1, 1, 1, 1, 1])
    }
  })
  for (const after of [false, true]) {
    await t.test(`next start creates the missing objects after a crash ${after ? 'after' : 'before'} any write`, async t => {
      let crashes = 0
      for (let n = 1; n < 40; n++) {
        const store = createMemoryStore()
        const dying = { store: dyingStore(store, n, after), clock }
        const first = await bootstrap(dying, options)
          .then(
            async ({ firstKey }) => ((await confirmFirstKey(dying, firstKey!)) ? firstKey : null),
            () => null,
          )
          .catch(() => null)
        if (first !== null) break
        crashes++
        const { firstKey } = await bootstrap({ store, clock }, options)
        if (firstKey !== null) t.equal(await confirmFirstKey({ store, clock }, firstKey), true)
        t.strictSame(await counts(store), [1, 1, 1, 1, 1], `write ${n}`)
        t.match(await bootstrap({ store, clock }, options), { firstKey: null })
      }
      t.ok(crashes >= 8, `${crashes} writes were tried`)
    })
  }
})

t.test('rule of a website monitor has the delays that the keepers use', async t => {
  const cases: [string, DirectoryOptions['websiteHolds'], object, number, number][] = [
    ['two minutes where nothing is set', undefined, {}, 120_000, 120_000],
    ['as set', { confirmAfterMs: 7_000, closeAfterMs: 9_000 }, {}, 7_000, 9_000],
    ['its own hold', { confirmAfterMs: 7_000, closeAfterMs: 9_000 }, { confirm_after: 1 }, 1_000, 9_000],
  ]
  for (const [title, websiteHolds, own, confirmAfterMs, closeAfterMs] of cases) {
    const { store, ask } = await start(t, createMemoryStore(), websiteHolds === undefined ? {} : { websiteHolds })
    const website = subjectDocument('shop000001', 'w', 'shop', 'Shop', { ...check, ...own }, 5)
    const nothing = { policy: { language: 'reachability' as const }, verdict: null, incident: null }
    const reachability = {
      key: 'availability',
      slug: 'reachability',
      name: 'Reachability',
      policyVersion: 1,
      ...nothing,
    }
    await store.insert('subjects', [{ ...website, kind: 'custom', rules: [reachability] }])
    const { subject } = await ask('find-subjects', { slug: 'shop', workspaceIds: ['w'] }, 'trace')
    t.match(subject?.rules[0]?.policy, { confirmAfterMs, closeAfterMs }, title)
  }
})

t.test('subject that is deleted while it is looked up is not found without its rules', async t => {
  const store = createMemoryStore()
  const doomed = { ...subjectDocument('doomed0001', 'w', 'doomed', 'Doomed', check, 5), kind: 'custom' as const }
  await store.insert('subjects', [doomed])
  const { get } = store
  const { ask } = await start(
    t,
    Object.assign(store, {
      get: async (collection: 'subjects', ids: readonly string[]) => {
        if (ids.includes(doomed.id)) await store.upsert('subjects', [{ ...doomed, rev: 2, rules: [], deletedAt: 9 }])
        return get(collection, ids)
      },
    }),
  )
  const found = await ask('find-subjects', { slug: 'doomed', workspaceIds: ['w'] }, 'trace')
  t.strictSame(found, { subject: null, workspaceIds: [] })
})

t.test('subject is found by its slug although many Resources of Templates have the same key in other workspaces', async t => {
  const { store, ask } = await start(t, createMemoryStore())
  const workspaceIds = Array.from({ length: 40 }, (_, i) => `w${i}`)
  const documents = workspaceIds.map((workspaceId, i) =>
    subjectDocument(`Sub${1_000_000 + i}`, workspaceId, 'shop', 'Shop', check, 5),
  )
  const last = documents.length - 1
  await store.insert(
    'subjects',
    documents.map((one, i) => (i === last ? one : { ...one, kind: 'template' as const, template: 'host@1' })),
  )
  t.match(await ask('find-subjects', { slug: 'shop', workspaceIds }, 'trace'), {
    subject: { id: 'Sub1000039' },
    workspaceIds: ['w39'],
  })
})
