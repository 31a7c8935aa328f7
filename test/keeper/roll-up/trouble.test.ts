// Confirmed trouble by day: the keeper's roll-up and the directory's read of it, compared with a plain recomputation, on each store.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import { troubleId } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { coveredMs } from '#shared/time/share-without.ts'
import { getBands } from '../../../services/directory/subjects/bands.ts'
import { getFigures } from '../../../services/directory/subjects/figures.ts'
import { readTrouble } from '../../../services/directory/subjects/trouble.ts'
import { rollUpTrouble } from '../../../services/keeper/roll-up/roll-up-trouble.ts'
import { Random } from '../../simulation/random.ts'
import { incident, subject } from '../../store/documents.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'

const site = 'siteAAAAAA'
const first = 20_000 * day

function onEachStore(title: string, run: (t: Test, store: Store) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore()))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'trouble.db'))
    t.teardown(() => store.close())
    await run(t, store)
  })
}

let made = 0
function trouble(from: number, to: number | null, isConfirmed = true): IncidentDocument {
  const number = ++made
  return incident(`${site}.${number}`, {
    subjectId: site,
    number,
    open: to === null ? 1 : 0,
    facets: facetsOf({ isOpen: to === null, isConfirmed, isAcknowledged: false }),
    troubleSince: from,
    confirmedAt: isConfirmed ? from : null,
    closedAt: to,
  })
}

async function fill(store: Store, documents: readonly IncidentDocument[]): Promise<void> {
  for (let i = 0; i < documents.length; i += 200) await store.insert('incidents', documents.slice(i, i + 200))
}

const windowRow = { rev: 1, subjectId: site, workspaceId: 'w', state: 'ranOut', cancelledAt: null, by: 'Ada', steps: [] }

/** Three days down, then short failures that nothing confirmed: 17 a day. */
const blip = (i: number, isConfirmed: boolean) => {
  const from = first + 5 * day + Math.floor((i * day) / 17)
  return trouble(from, from + minute, isConfirmed)
}

onEachStore('three days of an outage count after 520 short failures that were never confirmed', async (t, store) => {
  const now = first + 30 * day
  await store.insert('subjects', [subject(site, { id: site, workspaceId: 'w', createdAt: 0, check: null })])
  await fill(store, [trouble(first, first + 3 * day), ...Array.from({ length: 520 }, (_, i) => blip(i, false))])
  const clock = createHandClock()
  clock.advance(now - clock.now())
  const context = { store, clock, logger: pino({ level: 'silent' }), metrics: new Registry() } as never
  const figures = async () => (await getFigures(context, { workspaceId: 'w', subjectIds: [site] } as never))[site]
  t.match(await figures(), { uptime: 0.9, uptimeSince: first })
  const bands = await getBands(context, { subjectId: site, from: first, to: now } as never)
  t.match(bands, { incidents: [{ from: first }], completeSince: first })
  await rollUpTrouble(store, site, now - 2 * day)
  t.match(await figures(), { uptime: 0.9, uptimeSince: first }, 'as before')
})

onEachStore('more confirmed incidents than one read takes are all counted once they are rolled up', async (t, store) => {
  const count = limits.charts.bands + 100
  const now = first + 60 * day
  await fill(store, [trouble(first, first + 3 * day), ...Array.from({ length: count }, (_, i) => blip(i, true))])
  const sum = async () => {
    const { days, completeSince } = await readTrouble(store, site, first, now)
    return [days.reduce((all, { ms }) => all + ms, 0), completeSince] as const
  }
  const [part, partSince] = await sum()
  t.ok(part < 3 * day && partSince > first + 3 * day, 'a part says so')
  await rollUpTrouble(store, site, now - 2 * day)
  t.strictSame(await sum(), [3 * day + count * minute, first])
})

onEachStore('roll-up and read agree with a plain recomputation, whenever the keeper rolls up', async (t, store) => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = new Random(seed, 'trouble')
    const documents: IncidentDocument[] = []
    const now = first + 12 * day + random.integer(0, day)
    for (let rule = 0; rule < 3; rule++) {
      for (let at = first + random.integer(0, day); at < now; at += random.integer(minute, 2 * day)) {
        const to = at + (random.chance(0.2) ? random.integer(day, 3 * day) : random.integer(0, 3 * hour))
        documents.push(trouble(at, to > now ? null : to, random.chance(0.7)))
        at = to
      }
    }
    await fill(store, documents)
    const counted = documents
      .filter(({ confirmedAt }) => confirmedAt !== null)
      .map(({ troubleSince, closedAt }) => ({ from: troubleSince, to: closedAt }))
    for (const settledTo of [null, first + 4 * day, first + 10 * day, first + 2 * day]) {
      if (settledTo !== null) await rollUpTrouble(store, site, settledTo)
      const { days, completeSince } = await readTrouble(store, site, first, now)
      const plain = days.map(({ at }) => {
        const to = Math.min(at + day, now)
        const incidents = counted.filter(one => one.from < to && (one.to ?? now) > at).length
        return { at, ms: coveredMs(counted, at, to), incidents }
      })
      t.strictSame(days, plain, `seed ${seed}, rolled up to ${settledTo}`)
      t.equal(completeSince, first)
      for (let asked = 0; asked < 20; asked++) {
        const from = first + random.integer(0, 12 * day)
        const to = from + random.integer(1, 3 * day)
        const bands = await getBands({ store } as never, { subjectId: site, from, to } as never)
        const overlapping = counted.filter(one => one.from < to && (one.to ?? now) > from).sort((a, b) => b.from - a.from)
        t.strictSame(
          bands.incidents.map(({ from, to }) => ({ from, to })),
          overlapping,
          `seed ${seed}, ${from} to ${to}, rolled up to ${settledTo}`,
        )
      }
    }
    await store.delete('rollUps', [troubleId(site)])
    for (const { id } of documents) await store.delete('incidents', [id])
  }
})

onEachStore('roll-up disappears with the last incident that it counted', async (t, store) => {
  const one = trouble(first, first + hour)
  await fill(store, [one])
  await rollUpTrouble(store, site, first + day)
  t.equal((await store.get('rollUps', [troubleId(site)]))[0]?.id, troubleId(site))
  await store.delete('incidents', [one.id])
  await rollUpTrouble(store, site, first + 401 * day)
  t.strictSame(await store.get('rollUps', [troubleId(site)]), [null])
})

/** Counts the documents that a store reads. */
function counting(store: Store): { store: Store; read(): number } {
  let count = 0
  const find: Store['find'] = async (collection, query) => {
    const found = await store.find(collection, query)
    count += found.length
    return found
  }
  return { store: { ...store, find }, read: () => count }
}

onEachStore('roll-up of a further day reads that day and the two before it, however long the history is', async (t, store) => {
  await fill(
    store,
    Array.from({ length: 17 * 20 }, (_, i) => blip(i, true)),
  )
  await rollUpTrouble(store, site, first + 20 * day)
  const counted = counting(store)
  await rollUpTrouble(counted.store, site, first + 21 * day)
  t.ok(counted.read() <= 3 * 17, `${counted.read()} read`)
  const before = counted.read()
  const { incidents } = await getBands(
    { store: counted.store } as never,
    { subjectId: site, from: first + 20 * day, to: first + 21 * day } as never,
  )
  t.equal(incidents.length, 17)
  t.ok(counted.read() - before <= 2 * 17, `a chart of a day reads ${counted.read() - before}`)
})

onEachStore('incident of a report that waited in the stream is counted by the next roll-up', async (t, store) => {
  const to = first + 10 * day
  await fill(store, [trouble(first, first + 8 * day)])
  await rollUpTrouble(store, site, to)
  const [row] = await store.get('rollUps', [troubleId(site)])
  await fill(store, [trouble(to - hour, to + hour)])
  await rollUpTrouble(store, site, to + day)
  const { days } = await readTrouble(store, site, first, to + day)
  t.strictSame(
    days.map(({ ms }) => ms / hour),
    [24, 24, 24, 24, 24, 24, 24, 24, 0, 1, 1],
  )
  await store.upsert('rollUps', [row as never])
  const bands = await getBands({ store } as never, { subjectId: site, from: first + 7 * day + hour, to } as never)
  t.equal(bands.incidents.length, 2, 'a chart in the last day of trouble that lasted for days')
})

onEachStore(
  'subject whose incidents were never confirmed has a row, so that they are not read again each day',
  async (t, store) => {
    await fill(
      store,
      Array.from({ length: 50 }, (_, i) => blip(i, false)),
    )
    await rollUpTrouble(store, site, first + 10 * day)
    t.ok((await store.get('rollUps', [troubleId(site)]))[0])
    const { days } = await readTrouble(store, site, first, first + 10 * day)
    t.ok(days.every(({ ms, incidents }) => ms === 0 && incidents === 0))
  },
)

onEachStore('days whose retention has ended are no longer counted, and those of a trouble that goes on are', async (t, store) => {
  await fill(store, [trouble(first, first + hour), trouble(first + 2 * day, first + 5 * day)])
  await rollUpTrouble(store, site, first + 10 * day)
  await rollUpTrouble(store, site, first + 403 * day)
  const { days } = await readTrouble(store, site, first, first + 10 * day)
  t.strictSame(
    days.map(({ ms }) => ms / hour),
    [0, 0, 0, 24, 24, 0, 0, 0, 0, 0],
  )
  const bands = await getBands({ store } as never, { subjectId: site, from: first + 4 * day, to: first + 6 * day } as never)
  t.equal(bands.incidents.length, 1, 'its beginning is found, though its first day is no longer known')
})

onEachStore('chart marks the maintenance window that began before it and reads no earlier one', async (t, store) => {
  const made = (number: number, startedAt: number, endsAt: number) =>
    ({ ...windowRow, id: `${site}.w${number}`, startedAt, endsAt }) as never
  await store.insert(
    'windows',
    Array.from({ length: 40 }, (_, i) => made(i, first + i * day, first + i * day + (i === 29 ? 40 * hour : hour))),
  )
  const counted = counting(store)
  const asked = { subjectId: site, from: first + 30 * day + 12 * hour, to: first + 32 * day }
  const { windows } = await getBands({ store: counted.store } as never, asked as never)
  t.strictSame(
    windows.map(({ from }) => (from - first) / day),
    [31],
  )
  t.ok(counted.read() <= 2, 'the window in it, and the one before')
  await store.delete('windows', [`${site}.w30`])
  const longer = await getBands({ store } as never, asked as never)
  t.strictSame(
    longer.windows.map(({ from }) => (from - first) / day),
    [31, 29],
  )
})
