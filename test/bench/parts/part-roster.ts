// The list of the dashboard: duration and compressed size of a page of 100 among 10,000 monitors, without a search, with a search, and
// after a change.
import { Pool } from 'undici'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { signInMembers } from '../run/session-client.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

const warmUp = 20
/** Budget of a page of the list, ms. */
const budgetMs = 5
/** Budget of a compressed page; the prototype needed 4.8 kB. */
const budgetKilobytes = 8
/** Interval of checks. It is so long that checks use no CPU during the measurement. */
const intervalSeconds = 3_600

interface Found {
  firstMs: number
  pages: { title: string; ms: Summary; bytes: number }[]
}

export async function roster(run: Run): Promise<PartResult> {
  const monitors = run.options.quick ? 1_000 : 10_000
  const { firstMs, pages } = await run.withSystem(system => measure(run, system, monitors))
  const slowest = Math.max(...pages.map(({ ms }) => ms.p50))
  const largest = Math.max(...pages.map(({ bytes }) => bytes)) / 1_000
  const among = `of ${monitors.toLocaleString('en')} monitors`
  return {
    quantities: [
      quantity('roster', `page of 100 ${among}, median of the slowest kind`, 'ms', slowest, {
        better: 'lower',
        budget: budgetMs,
      }),
      quantity('roster', `page of 100 ${among}, compressed`, 'kB', largest, { better: 'lower', budget: budgetKilobytes }),
    ],
    details: [
      {
        title: `Pages of the list; the first of all took ${Math.round(firstMs)} ms`,
        rows: pages.map(({ title, ms, bytes }) => ({
          page: title,
          'p50 ms': ms.p50.toFixed(2),
          'p95 ms': ms.p95.toFixed(2),
          bytes,
        })),
      },
    ],
  }
}

async function measure(run: Run, system: System, monitors: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  const pool = new Pool(system.url, { connections: 1 })
  try {
    const { workspaceId, locationId } = await homeOf(connection, system.url, await system.key())
    run.say(`roster: ${monitors} monitors`)
    await seed(connection, {
      from: 0,
      to: monitors,
      intervalSeconds,
      workspaceId,
      locationIds: [locationId],
      urlOf: run.target.urlOf,
    })
    const [person] = await signInMembers(connection, system.url, workspaceId, 1)
    const headers = { cookie: person?.cookie ?? '', 'accept-encoding': 'br' }
    const path = `/api/v3/workspaces/${workspaceId}/monitors`
    const ask = async (query: string) => {
      const startedAt = performance.now()
      const answer = await pool.request({ path: path + query, method: 'GET', headers })
      const body = await answer.body.bytes()
      if (answer.statusCode !== 200) throw new Error(`${query} answered ${answer.statusCode}`)
      return { ms: performance.now() - startedAt, bytes: body.length }
    }
    const first = await ask('')
    const times = run.options.quick ? 50 : 300
    const kinds: [title: string, query: string, before: (i: number) => void][] = [
      ['as it comes', '', () => undefined],
      ['from the middle', `?from=${monitors / 2}`, () => undefined],
      ['behind a search', '?search=m99', () => undefined],
      ['each after a change of a row', '', i => change(connection, workspaceId, i)],
    ]
    const pages: Found['pages'] = []
    for (const [title, query, before] of kinds) {
      const ms: number[] = []
      let bytes = 0
      for (let i = -warmUp; i < times; i++) {
        before(i)
        const found = await ask(query)
        bytes = found.bytes
        if (i >= 0) ms.push(found.ms)
      }
      pages.push({ title, ms: summarize(ms), bytes })
    }
    return { firstMs: first.ms, pages }
  } finally {
    await pool.destroy()
    await connection.close()
  }
}

/** Publishes a change of one row like a keeper. Each change moves the row to another position in the list. */
function change({ bus }: Connection, workspaceId: string, i: number): void {
  const status: MonitorPage['rows'][number]['status'] = i % 2 === 0 ? 'down' : 'recovering'
  const base = { key: 'x', name: `changed ${i}`, kind: 'website', template: null, host: null, incident: null } as const
  const row = { ...base, id: 'BenchRow01', rev: i + warmUp + 1, status, since: i, incidents: 0, maintenanceUntil: null }
  const news: News = { kind: 'row', row }
  bus.publish(subjects.state(workspaceId, row.id), news)
}
