// People and probers at the same monitor at the same time: updates, check results, judgements, acknowledgements, a hand-over between
// keepers, and deletion. The tests use real NATS, real HTTP, and both stores. Acknowledged writes are kept, and a deleted monitor leaves
// nothing.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { CheckEntry, CheckResult } from '#shared/contracts/observations/check.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { allEntries, entryAt } from '../support/check-entries.ts'
import { websiteCheck } from '../support/checks.ts'
import { presentLevel } from '../support/present-level.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { addPerson, call, incidentSalt, version } from '../support/worlds/api-world.ts'

const clock = createSystemClock()
const logger = pino({ level: 'silent' })
const home = 'home000000'
const monitors = '/api/v2/monitoring/websites'
/** Delays so short that incidents open, are confirmed and close while the race runs. */
const holds = { confirmAfterMs: 40, closeAfterMs: 40 }

type Test = import('tap').Test

interface Load {
  /** Number of updates by each of two people. */
  updates: number
  /** Length of a phase, ms: the website fails for one phase, passes for the next, and so on. */
  phaseMs: number
}

/** The load fits the speed of each store: SecantusDB makes about a thousand writes a second. */
const stages: [title: string, open: (t: Test) => Promise<Store | null>, load: Load][] = [
  ['SQLite', async t => openStore({ dataFolder: t.testdir(), logger }), { updates: 40, phaseMs: 120 }],
  [
    'the MongoDB wire protocol',
    async t => {
      const mongodbUrl = await sharedMongodb(t)
      return mongodbUrl === null ? null : openStore({ mongodbUrl, dataFolder: '', logger })
    },
    { updates: 15, phaseMs: 400 },
  ],
]

for (const [title, open, load] of stages) {
  t.test(title, { timeout: 400_000 }, async t => {
    const store = await open(t)
    if (store === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const stage = await setStage(t, store, load.phaseMs)
    await t.test('concurrent updates, checks, judgements and acknowledgements are consistent while the keeper changes', t =>
      raceUpdates(t, stage, load.updates),
    )
    for (let round = 1; round <= 3; round++) {
      await t.test(`monitor deleted during the race leaves only its tombstone, round ${round}`, t => raceDeletion(t, stage))
    }
  })
}

async function raceUpdates(t: Test, stage: Stage, updates: number): Promise<void> {
  const id = await stage.create('start')
  let running = true
  const reporting = Promise.all(['aaaa', 'bbbb'].map(location => stage.keepReporting(id, location, () => running)))
  const acknowledging = Promise.all(['ada', 'bob'].map(person => stage.keepAcknowledging(id, person, () => running)))
  const writers = ['ada', 'bob'].map(async person => {
    for (let number = 1; number <= updates; number++) {
      const name = `${person}-${number}`
      const interval = 60 * number
      if (person === 'ada' && number === Math.ceil(updates / 2)) await stage.changeKeeper()
      const stored = await stage.update(id, person, { name, interval })
      t.match(stored.json, { error: null, result: { name, interval, locations: ['de', 'fr'], agreement: 'any' } }, name)
    }
  })
  await Promise.all(writers)
  await stage.until('incidents came, were acknowledged and went', async () => {
    const incidents = await stage.store.find('incidents', { where: { subjectId: id }, limit: 1_000 })
    return incidents.length >= 4 && incidents.some(({ open, acknowledgedAt }) => open === 0 && acknowledgedAt !== null)
  })
  running = false
  const [acknowledgements] = [(await acknowledging).flat(), await reporting]
  await stage.settle(id)

  const { result } = (await stage.get(`${monitors}/${id}`)).json
  t.ok([`ada-${updates}`, `bob-${updates}`].includes(result.name), `what one of them wrote last stands: ${result.name}`)
  const [subject] = await stage.store.get('subjects', [id])
  t.equal(subject?.name, result.name)
  await checkIncidents(t, stage, id, subject?.incidents ?? 0)
  await checkAcknowledgements(t, stage, acknowledgements)
}

/**
 * Checks that incidents are numbered without a gap, that at most one is open, and that each timeline has every step of its incident once.
 */
async function checkIncidents(t: Test, { store }: Stage, subjectId: string, counted: number): Promise<void> {
  const incidents = await store.find('incidents', { where: { subjectId }, limit: 1_000 })
  const numbers = incidents.map(({ number }) => number).sort((a, b) => a - b)
  t.ok(counted >= 1, `there was trouble: ${counted} incidents`)
  t.strictSame(
    numbers,
    Array.from({ length: counted }, (_, i) => i + 1),
    'one document an incident',
  )
  t.ok(incidents.filter(({ open }) => open === 1).length <= 1, 'one open at most')
  for (const incident of incidents) {
    const query = { where: { incidentId: incident.id }, sort: [['sequence', 'asc']] as const, limit: 1_000 }
    const history = await store.find('history', query)
    t.strictSame(
      history.map(({ sequence }) => sequence),
      history.map((_, i) => i + 1),
      'no entry is lost',
    )
    const kinds = history.map(({ kind }) => kind)
    t.equal(kinds[0], 'pending')
    t.equal(kinds.filter(kind => kind === 'acknowledged').length, incident.acknowledgedAt === null ? 0 : 1)
    t.equal(kinds.includes('closed'), incident.open === 0)
  }
}

type Acknowledgement = Awaited<ReturnType<typeof call>>

/** Checks that only one acknowledgement of an incident is stored, and that the responses to all requests show this acknowledgement. */
async function checkAcknowledgements(t: Test, { store }: Stage, answers: readonly Acknowledgement[]): Promise<void> {
  const told = new Map<string, { recorded: number; who: Set<string> }>()
  for (const { json } of answers) {
    if (json.error !== null) {
      t.equal(json.error.message, 'Incident is closed', 'the only reason to be refused')
      continue
    }
    const { incident_id, recorded, acknowledged_by, acknowledged_at } = json.result
    const one = told.get(incident_id) ?? { recorded: 0, who: new Set() }
    told.set(incident_id, one)
    if (recorded) one.recorded++
    one.who.add(`${acknowledged_by} ${acknowledged_at}`)
  }
  t.ok(told.size >= 1, `${told.size} incidents were acknowledged by ${answers.length} requests`)
  const stored = await store.find('incidents', { limit: 10_000 })
  const kept = new Set(
    stored.flatMap(({ acknowledgedAt, acknowledgedBy }) =>
      acknowledgedAt === null ? [] : [`${acknowledgedBy} ${new Date(acknowledgedAt).toISOString()}`],
    ),
  )
  for (const { recorded, who } of told.values()) {
    t.equal(recorded, 1, 'recorded once')
    t.equal(who.size, 1, 'and everybody told the same')
    t.ok(kept.has([...who][0] as string), 'what was told is stored')
  }
}

async function raceDeletion(t: Test, stage: Stage): Promise<void> {
  const id = await stage.create('doomed')
  let running = true
  const reporting = Promise.all(['aaaa', 'bbbb'].map(location => stage.keepReporting(id, location, () => running)))
  const acknowledging = Promise.all(['ada', 'bob'].map(person => stage.keepAcknowledging(id, person, () => running)))
  await stage.until('an incident is confirmed', async () => (await stage.store.count('alerts', { subjectId: id })) > 0)
  const updating = Promise.all(['ada', 'bob'].map(person => stage.update(id, person, { name: 'late' })))
  const deleted = await Promise.all(['ada', 'bob'].map(() => stage.remove(id)))
  const updated = await Promise.all([...(await updating), await stage.update(id, 'bob', { name: 'later' })])
  const last = await stage.until('acknowledgers hear of it', async () => (await stage.get(`${monitors}/${id}`)).json.error)
  running = false
  const acknowledged = (await acknowledging).flat()
  await reporting

  t.ok(
    deleted.some(({ json }) => json.error === null),
    'deleted',
  )
  for (const { json } of [...deleted, ...updated]) t.ok(json.error === null || json.error.code === 2002, 'done or not found')
  t.match(updated.at(-1)?.json.error, { code: 2002, message: 'Website monitor not found' }, 'no update comes after a deletion')
  t.match(last, { code: 2002 })
  for (const { json } of acknowledged) t.ok(json.error === null || [2002, 2004].includes(json.error.code), 'done or gone')

  await stage.reportLate(id)
  await stage.until('its children are gone', async () => {
    const [tombstone] = await stage.store.get('subjects', [id])
    return tombstone?.hasOutbox === 0
  })
  const { alerts = 0, ...left } = await stage.whatIsLeft(id)
  t.strictSame(left, { subjects: 1, names: 1 }, 'the tombstone, and its name until somebody wants it')
  t.ok(alerts <= 1, 'the message that ends what was opened elsewhere, until it expires (v3 10.16)')
  const [tombstone] = await stage.store.get('subjects', [id])
  t.match(tombstone, { rules: [], readings: {}, checkRev: null, checkLocations: [], outbox: [] })
  t.not(tombstone?.deletedAt, null)
  t.strictSame(await stage.checkEntries(id), [], 'nobody is told to check it')
}

type Stage = Awaited<ReturnType<typeof setStage>>

async function setStage(t: Test, store: Store, phaseMs: number) {
  const testBus = await startTestBus()
  const level = presentLevel()
  const around = async (name: string) => ({
    bus: await testBus.connect(name),
    clock,
    logger,
    metrics: new Registry(),
    store,
    level,
  })
  const directory = await startDirectory(await around('directory'))
  const startOne = async () => startKeeper(await around('keeper'), { keeperId: randomId(6), exclusive: false, ...holds })
  let keeper = await startOne()
  const { fastify, service: gateway } = await createGateway(await around('gateway'), { version, incidentSalt })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  t.teardown(async () => {
    await gateway.stop()
    await keeper.stop()
    await directory.stop()
    await testBus.stop()
    await store.close()
  })
  const tokens: Record<string, string> = {}
  for (const name of ['ada', 'bob']) tokens[name] = (await addPerson({ store, clock }, name, { [home]: 'editor' })).token
  const at = clock.now()
  await store.insert('locations', [
    { id: 'aaaa', rev: 1, name: 'de', displayName: null, createdAt: at },
    { id: 'bbbb', rev: 1, name: 'fr', displayName: null, createdAt: at },
  ])
  const bus = await testBus.connect('test')
  const http = (method: string, path: string, person = 'ada', body?: unknown) =>
    call(address, method, path, { token: tokens[person] ?? null, ...(body === undefined ? {} : { body }) })
  const settings = {
    name: 'x',
    interval: 60,
    workspace_id: home,
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de', 'fr'],
    agreement: 'any',
  }
  const pass = (ms: number) => new Promise<void>(resolve => void clock.schedule(ms, resolve))
  const until = async <T>(what: string, look: () => Promise<T>): Promise<T> => {
    for (let looks = 0; looks < 2_000; looks++) {
      const seen = await look()
      if (seen) return seen
      await pass(5)
    }
    throw new Error(`it never came to this: ${what}`)
  }
  /** Reports like a prober on the present assignment. After the assignment is removed, reports on an assignment of a high revision. */
  let slotAt = clock.now() - 60_000
  const publish = async (subjectId: string, location: string, ok: boolean) => {
    const entry = (await entryAt(bus, location, subjectId)) as CheckEntry | null
    slotAt++
    await bus.observations.publish(subjects.observation(location, subjectId), resultOf(ok, entry?.rev ?? 1_000, slotAt))
    return slotAt
  }
  const readingOf = async (subjectId: string, location: string) =>
    (await store.get('subjects', [subjectId]))[0]?.readings[location]
  return {
    store,
    until,
    get: (path: string) => http('GET', path),
    create: async (name: string): Promise<string> => {
      const answer = await http('POST', monitors, 'ada', { ...settings, name })
      t.equal(answer.json.error, null)
      return answer.json.result.id
    },
    update: (id: string, person: string, change: object) => http('POST', `${monitors}/${id}`, person, { ...settings, ...change }),
    remove: (id: string) => http('DELETE', `${monitors}/${id}`),
    /** Reports alternating phases of failures and successes, the same at all locations. */
    keepReporting: async (id: string, location: string, goOn: () => boolean) => {
      while (goOn()) {
        await publish(id, location, Math.floor(clock.now() / phaseMs) % 2 === 0)
        await pass(4)
      }
    },
    /** Acknowledges every open incident repeatedly. Returns all replies. */
    keepAcknowledging: async (id: string, person: string, goOn: () => boolean) => {
      const answers: Acknowledgement[] = []
      while (goOn()) {
        const { result } = (await http('GET', `/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`, person)).json
        for (const incident of result ?? []) {
          answers.push(await http('POST', `/api/v1/rules/${id}/incidents/${incident.id}/acknowledge`, person))
        }
        await pass(10)
      }
      return answers
    },
    /** Starts a second keeper and stops the first. */
    changeKeeper: async () => {
      const leaving = keeper
      keeper = await startOne()
      await leaving.stop()
    },
    /** Resolves when all earlier reports are judged and written: publishes new reports, and waits for their judgement. */
    settle: async (id: string) => {
      for (const location of ['aaaa', 'bbbb']) {
        await publish(id, location, true)
        const last = await publish(id, location, false)
        await until('the last report is judged', async () => (await readingOf(id, location))?.slotAt === last)
      }
      await until('nothing is pending', async () => (await store.get('subjects', [id]))[0]?.hasOutbox === 0)
    },
    /** Sends results and a command after the deletion; resolves when the keeper has processed them. */
    reportLate: async (id: string) => {
      for (let number = 0; number < 10; number++) await publish(id, 'aaaa', false)
      const commands = createKeeperClient(bus, clock)
      const gone = commands.send(id, {
        kind: 'acknowledge-incident',
        id: randomId(8),
        incidentId: `${id}.1`,
        by: 'Ada',
        via: 'api',
      })
      await t.rejects(gone, { code: 'not_found' })
      const neighbour = neighbourOf(id)
      await commands.send(neighbour, createCommand(neighbour))
      const last = await publish(neighbour, 'aaaa', false)
      await until('the neighbour is judged', async () => (await readingOf(neighbour, 'aaaa'))?.slotAt === last)
    },
    /**
     * Returns the number of documents in each collection that still name the subject. Removed tags are not counted: they stay for an hour,
     * so that no late write restores them. Nor are checkpoints: the next one of the partition replaces the last.
     */
    whatIsLeft: async (id: string) => {
      const counts: Partial<Record<CollectionName, number>> = {}
      for (const name of Object.keys(collections) as CollectionName[]) {
        if (name === 'checkpoints') continue
        const found = (await store.find(name, { limit: 10_000 })).filter(
          document => JSON.stringify(document).includes(id) && !('gone' in document && document.gone === 1),
        )
        if (found.length > 0) counts[name] = found.length
      }
      return counts
    },
    checkEntries: async (id: string) => [...(await allEntries(bus)).keys()].filter(key => key.endsWith(id)),
  }
}

/** Returns another id of the same partition. Its inputs are processed after all earlier inputs of `id`. */
function neighbourOf(id: string): string {
  for (;;) {
    const other = randomId(10)
    if (partitionOf(other) === partitionOf(id)) return other
  }
}

const createCommand = (subjectId: string) =>
  ({
    kind: 'create-website',
    id: randomId(8),
    workspaceId: home,
    slug: subjectId.toLowerCase(),
    name: 'Neighbour',
    check: websiteCheck({ url: 'https://neighbour.example/' }),
  }) satisfies CommandOf<'create-website'>

function resultOf(ok: boolean, rev: number, slotAt: number): CheckResult {
  const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
  const error = ok ? null : 'status 503, expected 200'
  return { rev, slotAt, ageMs: 0, ok, error, statusCode: ok ? 200 : 503, phases }
}
