// Intake of generation 3 over REST: one Observation after the other beside generation 2, with and without the audit, and in batches of 500.
import type { Connection } from './connection.ts'
import { createReports, seedCustom } from './custom-fleet.ts'
import { type Senders, type Sent, sendBatchesByRest, sendBurst, sendByRest, sentPerSecond } from './push-observations.ts'
import { seedResources } from './resource-fleet.ts'
import { type PartResult, quantity, type Run } from './run-context.ts'
import { homeOf } from './seed.ts'
import { median } from './statistics.ts'
import type { System } from './system.ts'

const signals = 5
const clients = 50
const rounds = 5
const firstWarmUpMs = 5_000
const warmUpMs = 1_000
const batch = { perBatch: 500, atOnce: 4 }
/** A collector of 100 Resources, and a sender of 5 that catches up. */
const shapes = [5, 100]

/** One after the other; the first is generation 2. */
type Rates = [classic: number, audited: number, silent: number]

export async function v3Intake(run: Run): Promise<PartResult> {
  run.say('v3-intake: Observations over REST beside generation 2, with and without audit')
  const nodeArguments = [...run.options.nodeArguments, '--import', new URL('./without-audit.ts', import.meta.url).href]
  const { taken, batches, bareInsert } = await run.withSystem(audited =>
    run.withSystem(silent => measure(run, audited, silent), { nodeArguments }),
  )
  const rates = taken.map(round => round.map(sentPerSecond) as Rates)
  const higher = { better: 'higher' } as const
  const beside = (name: string, [measured, baseline]: readonly [number, number], budget: number) =>
    quantity('v3-intake', name, '/s', measured, { ...higher, baseline, budget })
  const name = 'Observations with ids one by one over REST'
  const last = taken.at(-1) as Sent[]
  return {
    quantities: [
      beside(`${name}, beside generation 2`, middle(rates.map(([classic, audited]) => [audited, classic])), 0.75),
      beside(`${name}, without audit, beside generation 2`, middle(rates.map(([classic, , silent]) => [silent, classic])), 0.75),
      beside(`${name}, with audit beside without`, middle(rates.map(([, audited, silent]) => [audited, silent])), 0.9),
      ...batches.map((sent, i) =>
        beside(`Observations over REST, ${batchOf(shapes[i] as number)}`, [sentPerSecond(sent), bareInsert], 0.25),
      ),
    ],
    details: [
      {
        title: 'Observations of Resources over REST',
        rows: [
          ...['generation 2', 'generation 3', 'generation 3 without audit'].map((what, at) => rowOf(what, last[at] as Sent)),
          ...batches.map((sent, i) => rowOf(batchOf(shapes[i] as number), sent)),
        ],
      },
      { title: 'Rounds, observations/s', rows: rates.map(roundRow) },
    ],
  }
}

async function measure(run: Run, audited: System, silent: System) {
  const connections: Connection[] = []
  try {
    for (const system of [audited, silent]) {
      await system.start()
      connections.push(await system.connect())
    }
    const [ofAudited, ofSilent] = connections as [Connection, Connection]
    const classic = await customSenders(run, audited, ofAudited)
    const resources = await resourceSenders(run, audited, ofAudited)
    const others = await resourceSenders(run, silent, ofSilent)
    const turns = [
      { system: audited, connection: ofAudited, sending: classic },
      { system: audited, connection: ofAudited, sending: resources },
      { system: silent, connection: ofSilent, sending: others },
    ]
    const load = { connections: clients, seconds: run.options.seconds / rounds }
    for (const { system, connection, sending } of turns) {
      await sendBurst(system, connection, sending, 'ok')
      await sendByRest(system, sending, { ...load, seconds: 0.1, warmUpMs: firstWarmUpMs })
    }
    const taken: Sent[][] = []
    for (let round = 0; round < rounds; round++) {
      const sent: Sent[] = []
      for (const { system, sending } of turns) sent.push(await sendByRest(system, sending, { ...load, warmUpMs }))
      taken.push(sent)
    }
    const sendBatches = (perResource: number, batches: number) =>
      sendBatchesByRest(audited, resources, { ...batch, perResource, batches })
    for (const perResource of shapes) await sendBatches(perResource, 20)
    const { found: batches, bareInsert } = await run.besideBareInsert('pushedObservations', async () => {
      const sent: Sent[] = []
      for (const perResource of shapes) sent.push(await sendBatches(perResource, run.options.quick ? 20 : 200))
      return sent
    })
    for (const system of [audited, silent]) await system.stop()
    for (const { system, sending } of turns) sending.reports.verify(system)
    return { taken, batches, bareInsert }
  } finally {
    for (const connection of connections) await connection.close()
  }
}

const batchOf = (perResource: number) => `${batch.perBatch} in a batch, ${perResource} of a Resource`

const subjectsOf = ({ options }: Run) => (options.quick ? 100 : 1_000)

export async function customSenders(run: Run, system: System, connection: Connection): Promise<Senders> {
  const { workspaceId } = await homeOf(connection, system.url, await system.key())
  const fleet = await seedCustom(connection, { workspaceId, subjects: subjectsOf(run), signals })
  return { fleet, reports: createReports(fleet) }
}

export async function resourceSenders(run: Run, system: System, connection: Connection): Promise<Senders> {
  const { workspaceId } = await homeOf(connection, system.url, await system.key())
  const fleet = await seedResources(connection, { workspaceId, template: 'sender', resources: subjectsOf(run), signals })
  return { fleet, reports: createReports(fleet) }
}

/** Of an odd number of rounds, the one whose ratio is the median. */
function middle(found: readonly (readonly [number, number])[]): readonly [number, number] {
  const ratio = median(found.map(([measured, baseline]) => measured / baseline))
  return found.find(([measured, baseline]) => measured / baseline === ratio) ?? [Number.NaN, Number.NaN]
}

const roundRow = ([classic, audited, silent]: Rates, at: number) => ({
  round: at + 1,
  'generation 2': Math.round(classic),
  'generation 3': Math.round(audited),
  'without audit': Math.round(silent),
})

const rowOf = (what: string, found: Sent) => ({
  what,
  observations: found.observations,
  'observations/s': Math.round(sentPerSecond(found)),
  'answer p50 ms': Number(found.latency.p50.toFixed(1)),
  'p99 ms': Number(found.latency.p99.toFixed(1)),
  'CPU ms/1,000': Math.round(found.cpuMsPerThousand),
})
