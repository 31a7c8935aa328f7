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
