// Ingest, pushed observations: one by one over REST, in batches by the bus, and in bursts beside checks. The run fails unless each
// observation is stored and judged afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import { createReports, seedCustom } from '../fleets/custom-fleet.ts'
import { type Senders, type Sent, sendBurst, sendInBatches, sentPerSecond } from '../fleets/push-observations.ts'
import { type BesideBare, measureRestRounds } from '../fleets/rest-rounds.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

const signals = 5
const clients = 50
const batch = { perBatch: 100, atOnce: 64 }
/** Rate of the checks that run during the reports, as a share of the sustained rate. */
const checksBeside = 0.25
const burstsEveryMs = 2_000
/**
 * Rounds of warm-up until V8 has compiled the hot path. The number is even, so that the last round restores the verdicts from before the
 * warm-up.
 */
const warmUpBursts = 6

const subjectsOf = ({ options }: Run) => (options.quick ? 100 : 1_000)

async function senders(run: Run, system: System, connection: Connection): Promise<Senders> {
  const { workspaceId } = await homeOf(connection, system.url, await system.key())
  const fleet = await seedCustom(connection, { workspaceId, subjects: subjectsOf(run), signals })
  return { fleet, reports: createReports(fleet) }
}

export async function ingestObservations(run: Run): Promise<PartResult> {
  run.say('ingest: observations one by one over REST, beside what bare programs make of them; then in batches by the bus')
  const { rounds, batches, bareInsert } = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      const sending = await senders(run, system, connection)
      // The first report of each signal leads to the first judgement of its rule, which writes the subject.
      await sendBurst(system, connection, sending, 'ok')
      const rounds = await measureRestRounds(system, sending, { connections: clients, seconds: run.options.seconds })
      await sendInBatches(system, connection, sending, { ...batch, batches: 1 })
      const { found: batches, bareInsert } = await run.besideBareInsert('pushedObservations', () =>
        sendInBatches(system, connection, sending, { ...batch, batches: run.options.quick ? 2 : 3 }),
      )
      await system.stop()
      sending.reports.verify(system)
      return { rounds, batches, bareInsert }
    } finally {
      await connection.close()
    }
  })
  const higher = { better: 'higher' } as const
  const beside = (name: string, { sent, bareRate }: BesideBare, budget?: number) =>
    quantity('ingest', name, '/s', sentPerSecond(sent), {
      ...higher,
      baseline: bareRate,
      ...(budget !== undefined && { budget }),
    })
  return {
    quantities: [
      beside(`observations one by one over REST, ${clients} clients`, rounds.rest),
      beside('the same, beside a program that only reads and inserts', rounds.restBesideIntake, 0.55),
      beside('only read and inserted: nothing checked, nothing judged', rounds.intake),
      beside('only read, checked and answered: the gateway with nothing behind it', rounds.gateway),
      beside('only read, checked, answered, and stored after the answer, 512 at once: still nothing judged', rounds.storedLater),
      quantity('ingest', 'an observation over REST at that rate, p99', 'ms', rounds.p99Ms, { better: 'lower', budget: 50 }),
      quantity('ingest', 'bare route at its own rate, p99', 'ms', rounds.bareP99Ms, { better: 'lower' }),
      quantity('ingest', `observations by the bus, ${batch.perBatch} in a batch`, '/s', sentPerSecond(batches), {
        ...higher,
        baseline: bareInsert,
        budget: 0.2,
      }),
    ],
    details: [
      {
        title: 'Observations pushed',
        rows: [rowOf('one by one over REST', rounds.rest.sent), rowOf('batches by the bus', batches)],
      },
    ],
  }
}

export async function ingestBurst(run: Run): Promise<PartResult> {
  const rate = Math.max(1, Math.round((await run.heldRate()) * checksBeside))
  const subjects = subjectsOf(run)
  run.say(`ingest: bursts of ${subjects * signals} observations beside ${rate} checks/s`)
  const { warmUp, alone, beside } = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      const sending = await senders(run, system, connection)
      const home = await homeOf(connection, system.url, await system.key())
      const options = { from: 0, to: rate, intervalSeconds: 1, workspaceId: home.workspaceId, locationIds: [home.locationId] }
      const { subjectIds } = await seed(connection, { ...options, urlOf: run.target.urlOf })
      await run.target.untilSeen(rate, 60_000)
      await sendBurst(system, connection, sending, 'ok')
      const burst = (isOver: (made: number) => boolean) => burstsUntil(isOver, system, connection, sending)
      const warmUp = await burst(made => made === (run.options.quick ? 2 : warmUpBursts))
      const { seconds } = run.options
      const observing = { system, target: run.target, subjectIds, intervalMs: 1_000, seconds }
      const alone = await observe(observing)
      const until = performance.now() + seconds * 1_000
      const [observed, bursts] = await Promise.all([observe(observing), burst(() => performance.now() + burstsEveryMs >= until)])
      await system.stop()
      sending.reports.verify(system)
      return { warmUp, alone, beside: { observed, bursts } }
    } finally {
      await connection.close()
    }
  })
  return burstResult({ subjects, rate, warmUp, alone, ...beside })
}

/** Sends alternately a burst of problems and a burst of oks, so that every burst changes every verdict. Sends at least one burst. */
async function burstsUntil(
  isOver: (made: number) => boolean,
  system: System,
  connection: Connection,
  sending: Senders,
): Promise<Sent[]> {
  const bursts: Sent[] = []
  do {
    const startedAt = performance.now()
    bursts.push(await sendBurst(system, connection, sending, bursts.length % 2 === 0 ? 'problem' : 'ok'))
    await pause(Math.max(0, burstsEveryMs - (performance.now() - startedAt)))
  } while (!isOver(bursts.length))
  return bursts
}

interface Bursts {
  subjects: number
  rate: number
  warmUp: Sent[]
  alone: Observed
  observed: Observed
  bursts: Sent[]
}

function burstResult({ subjects, rate, warmUp, alone, observed, bursts }: Bursts): PartResult {
  const checks = (what: string, { onTime, lateness }: Observed) => ({
    checks: what,
    'asked/s': rate,
    'on time %': Number((onTime * 100).toFixed(1)),
    'late p50 ms': Number(lateness.p50.toFixed(1)),
    'late p99 ms': Number(lateness.p99.toFixed(1)),
    'max ms': Number(lateness.max.toFixed(1)),
  })
  const name = `burst of ${subjects * signals} observations (${subjects} subjects x ${signals} signals) beside checks, all judged`
  const lower = { better: 'lower' } as const
  return {
    quantities: [
      quantity('ingest', `${name}, median`, 'ms', median(bursts.map(each => each.elapsedMs)), { ...lower, budget: 1_000 }),
      quantity('ingest', 'checks on time within 100 ms meanwhile', '%', observed.onTime * 100, { better: 'higher', budget: 99 }),
      quantity('ingest', 'checks after the slot meanwhile, p99', 'ms', observed.lateness.p99, lower),
    ],
    details: [
      {
        title: 'Bursts of observations',
        rows: [
          ...warmUp.map((burst, at) => rowOf(`warm-up ${at + 1}`, burst)),
          ...bursts.map((burst, at) => rowOf(`burst ${at + 1}`, burst)),
        ],
      },
      { title: 'Checks beside bursts', rows: [checks('without bursts', alone), checks('with bursts', observed)] },
    ],
  }
}

const rowOf = (what: string, found: Sent) => ({
  what,
  observations: found.observations,
  'all judged ms': Math.round(found.elapsedMs),
  'observations/s': Math.round(sentPerSecond(found)),
  'answer p50 ms': Number(found.latency.p50.toFixed(1)),
  'p99 ms': Number(found.latency.p99.toFixed(1)),
  'CPU ms/1,000': Math.round(found.cpuMsPerThousand),
})
