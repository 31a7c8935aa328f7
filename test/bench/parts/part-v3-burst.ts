// Duration of bursts of generation 3 while checks run. They alternate with bursts of generation 2 in the same system. A burst sends an
// Observation on every signal of every Resource at once. It ends when the last Observation is stored and judged.
import { setTimeout as pause } from 'node:timers/promises'
import { type Senders, type Sent, sendBurst } from '../fleets/push-observations.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { customSenders, resourceSenders } from './part-v3-intake.ts'

/** Rate of the checks that run during the bursts, as a share of the sustained rate. */
const checksBeside = 0.25
const burstsEveryMs = 2_000
/** Warm-up bursts of each generation. */
const warmUpBursts = 6

interface Pair {
  classic: Sent
  resources: Sent
}

export async function v3Burst(run: Run): Promise<PartResult> {
  const rate = Math.max(1, Math.round((await run.heldRate()) * checksBeside))
  run.say(`v3-burst: bursts of both generations in turn beside ${rate} checks/s`)
  const { pairs, observed } = await run.withSystem(system => measure(run, system, rate))
  const [classic, resources] = [median(pairs.map(pair => pair.classic.elapsedMs)), median(pairs.map(timeOfResources))]
  const count = pairs[0]?.resources.observations
  const lower = { better: 'lower' } as const
  return {
    quantities: [
      quantity(
        'v3-burst',
        `burst of ${count} Observations beside checks, all judged, beside generation 2, medians`,
        'ms',
        resources,
        {
          ...lower,
          baseline: classic,
          budget: 1.5,
        },
      ),
      quantity('v3-burst', 'checks on time within 100 ms meanwhile', '%', observed.onTime * 100, {
        better: 'higher',
        budget: 99,
      }),
    ],
    details: [{ title: 'Bursts of both generations', rows: pairs.map(rowOf) }],
  }
}

const timeOfResources = ({ resources }: Pair) => resources.elapsedMs

async function measure(run: Run, system: System, rate: number): Promise<{ pairs: Pair[]; observed: Observed }> {
  await system.start()
  const connection = await system.connect()
  try {
    const classic = await customSenders(run, system, connection)
    const resources = await resourceSenders(run, system, connection)
    const home = await homeOf(connection, system.url, await system.key())
    const options = { from: 0, to: rate, intervalSeconds: 1, workspaceId: home.workspaceId, locationIds: [home.locationId] }
    const { subjectIds } = await seed(connection, { ...options, urlOf: run.target.urlOf })
    await run.target.untilSeen(rate, 60_000)
    const burst = async (sending: Senders, status: 'ok' | 'problem') => {
      const startedAt = performance.now()
      const sent = await sendBurst(system, connection, sending, status)
      await pause(Math.max(0, burstsEveryMs - (performance.now() - startedAt)))
      return sent
    }
    /** Sends alternately a burst of problems and a burst of oks, so that every burst changes every verdict. */
    const burstsUntil = async (isOver: (made: number) => boolean) => {
      const pairs: Pair[] = []
      do {
        const status = pairs.length % 2 === 0 ? 'problem' : 'ok'
        pairs.push({ classic: await burst(classic, status), resources: await burst(resources, status) })
      } while (!isOver(pairs.length))
      return pairs
    }
    for (const sending of [classic, resources]) await sendBurst(system, connection, sending, 'ok')
    await burstsUntil(made => made === (run.options.quick ? 2 : warmUpBursts))
    const { seconds } = run.options
    const until = performance.now() + seconds * 1_000
    const isOver = () => performance.now() + 2 * burstsEveryMs >= until
    const observing = { system, target: run.target, subjectIds, intervalMs: 1_000, seconds }
    const [observed, pairs] = await Promise.all([observe(observing), burstsUntil(isOver)])
    await system.stop()
    for (const { reports } of [classic, resources]) reports.verify(system)
    return { pairs, observed }
  } finally {
    await connection.close()
  }
}

const rowOf = ({ classic, resources }: Pair, at: number) => ({
  burst: at + 1,
  'generation 2 ms': Math.round(classic.elapsedMs),
  'generation 3 ms': Math.round(resources.elapsedMs),
  'CPU ms/1,000 of 2': Math.round(classic.cpuMsPerThousand),
  'of 3': Math.round(resources.cpuMsPerThousand),
})
