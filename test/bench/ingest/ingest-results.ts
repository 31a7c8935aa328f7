// Benchmark of check results: publishes results as fast as the bus accepts them, then in bursts of 5,000, until all are stored and judged.
// It also compares the duration of a read over the API with the duration of a Fastify route without handlers of Watchkeeper.
import { setTimeout as pause } from 'node:timers/promises'
import { measureRoute } from '../bare/baselines.ts'
import { type Pushed, pushResults, seedUnprobed, storedObservations } from '../fleets/push-results.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'

const fleet = { subjects: 1_000, locations: 5, intervalSeconds: 60 }
const perSlot = fleet.subjects * fleet.locations

export async function ingestResults(run: Run): Promise<PartResult> {
  const slots = run.options.quick ? 4 : 30
  const repeats = run.options.quick ? 1 : 5
  const { pushed, bareInsert, bursts, stored, bareRoute, reads } = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      const seeded = await seedUnprobed(system, connection, fleet)
      // The slots of this warm-up end a minute before the measured slots, so that each slot is newer than the previous one.
      const now = Date.now()
      await pushResults(system, connection, seeded, { slots: 2, slotMs: 1_000, endsAt: now - 120_000 })
      const { found: pushed, bareInsert } = await run.besideBareInsert('observations', () => {
        run.say(`ingest: ${slots * perSlot} results`)
        return pushResults(system, connection, seeded, { slots, slotMs: 1_000, endsAt: now - 60_000 })
      })
      const bursts: Pushed[] = []
      for (let repeat = 0; repeat < repeats; repeat++) {
        await pause(1_500)
        const endsAt = now - 50_000 + repeat * 1_000
        bursts.push(await pushResults(system, connection, seeded, { slots: 1, slotMs: 1_000, endsAt }))
      }
      run.say('ingest: bare route')
      const load = { key: await system.key(), connections: 50, seconds: run.options.quick ? 1 : 6 }
      const bareRoute = await measureRoute(system.url, '/api/version', load)
      const reads = await measureRoute(system.url, `/api/v2/monitoring/websites/${seeded.subjectIds[0]}`, load)
      run.baselines['bare route, requests/s'] = bareRoute.requestsPerSecond
      await system.stop()
      return { pushed, bareInsert, bursts, stored: storedObservations(system), bareRoute, reads }
    } finally {
      await connection.close()
    }
  })
  const expected = (2 + slots + repeats) * perSlot
  if (stored !== expected) throw new Error(`${expected} results were published, ${stored} observations are stored.`)
  const rate = (pushed.results * 1_000) / pushed.judgedMs
  return {
    quantities: [
      quantity('ingest', 'results by the bus, stored and judged', '/s', rate, {
        better: 'higher',
        baseline: bareInsert,
        budget: 0.2,
      }),
      quantity(
        'ingest',
        `burst of ${perSlot} (1,000 subjects x 5 locations), all judged, median`,
        'ms',
        median(bursts.map(each => each.judgedMs)),
        {
          better: 'lower',
          budget: 1_000,
        },
      ),
      quantity('ingest', 'a monitor read over REST by 50 clients', '/s', reads.requestsPerSecond, {
        better: 'higher',
        baseline: bareRoute.requestsPerSecond,
      }),
    ],
    details: [{ title: 'Ingest by the bus', rows: [rowOf('stream', pushed), ...bursts.map(burst => rowOf('burst', burst))] }],
  }
}

const rowOf = (what: string, { results, publishedMs, judgedMs, cpuMsPerThousand }: Pushed) => ({
  what,
  results,
  'published ms': Math.round(publishedMs),
  'judged ms': Math.round(judgedMs),
  'results/s': Math.round((results * 1_000) / judgedMs),
  'CPU ms/1,000': Math.round(cpuMsPerThousand),
})
