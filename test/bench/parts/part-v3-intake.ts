// Intake of generation 3 over REST: single Observations compared with generation 2, with and without the audit, and batches of 500. Short
// windows of all kinds alternate, because a machine's speed changes within seconds and only neighbouring windows are comparable.
import { createReports, seedCustom } from '../fleets/custom-fleet.ts'
import { type Senders, type Sent, sendBatchesByRest, sendBurst, sendByRest, sentPerSecond } from '../fleets/push-observations.ts'
import { seedResources } from '../fleets/resource-fleet.ts'
import { homeOf } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

const signals = 5
const clients = 50
const windowSeconds = 1
const fewestRounds = 5
const firstWarmUpMs = 5_000
const warmUpMs = 200
const batch = { perBatch: 500, atOnce: 4 }
/** Numbers of Resources in a batch: 5 for a sender that catches up, 100 for a collector. */
const shapes = [5, 100]

const kinds = ['generation 2', 'generation 3', 'generation 3 without audit'] as const
/** Numbers of requests per second, in the order of `kinds`. */
type Rates = [classic: number, audited: number, silent: number]

export async function v3Intake(run: Run): Promise<PartResult> {
  run.say('v3-intake: Observations over REST beside generation 2, with and without audit')
  const preload = new URL('../bare/switched-audit.ts', import.meta.url).href
  const nodeArguments = [...run.options.nodeArguments, '--import', preload]
  const { taken, batches, bareInsert } = await run.withSystem(system => measure(run, system), { nodeArguments })
  const rates = taken.map(round => round.map(sentPerSecond) as Rates)
  const higher = { better: 'higher' } as const
  const beside = (name: string, [measured, baseline]: readonly [number, number], budget: number) =>
    quantity('v3-intake', name, '/s', measured, { ...higher, baseline, budget })
  const name = 'Observations with ids one by one over REST'
  const withAudit = middle(rates.map(([classic, audited]) => [audited, classic]))
  const withoutAudit = middle(rates.map(([classic, , silent]) => [silent, classic]))
  return {
    quantities: [
      beside(`${name}, beside generation 2`, withAudit, 0.75),
      beside(`${name}, without audit, beside generation 2`, withoutAudit, 0.75),
      beside(`${name}, with audit beside without`, middle(rates.map(([, audited, silent]) => [audited, silent])), 0.9),
      ...batches.map((sent, i) =>
        beside(`Observations over REST, ${batchOf(shapes[i] as number)}`, [sentPerSecond(sent), bareInsert], 0.25),
      ),
    ],
    details: [
      {
        title: 'Observations of Resources over REST',
        rows: [
          ...kinds.map((kind, at) =>
            rowOf(
              `${kind}, medians`,
              taken.map(round => round[at] as Sent),
            ),
          ),
          ...batches.map((sent, i) => rowOf(batchOf(shapes[i] as number), [sent])),
        ],
      },
      { title: 'Rounds, observations/s', rows: rates.map(roundRow) },
    ],
  }
}

async function measure(run: Run, system: System) {
  await system.start()
  const connection = await system.connect()
  try {
    const classic = await customSenders(run, system, connection)
    const resources = await resourceSenders(run, system, connection)
    for (const senders of [classic, resources]) {
      await sendBurst(system, connection, senders, 'ok')
      await sendByRest(system, senders, { connections: clients, seconds: 0.1, warmUpMs: firstWarmUpMs })
    }
    const turns = [
      { senders: classic, isAudited: true },
      { senders: resources, isAudited: true },
      { senders: resources, isAudited: false },
    ]
    const taken: Sent[][] = []
    for (let round = 0; round < roundsOf(run); round++) {
      const sent: Sent[] = []
      for (const at of orders[round % orders.length] as readonly number[]) {
        const { senders, isAudited } = turns[at] as (typeof turns)[number]
        if (!isAudited) process.kill(system.pid(), 'SIGUSR2')
        sent[at] = await sendByRest(system, senders, { connections: clients, seconds: windowSeconds, warmUpMs })
        if (!isAudited) process.kill(system.pid(), 'SIGUSR2')
      }
      taken.push(sent)
    }
    const sendBatches = (perResource: number, batches: number) =>
      sendBatchesByRest(system, resources, { ...batch, perResource, batches })
    for (const perResource of shapes) await sendBatches(perResource, 20)
    const { found: batches, bareInsert } = await run.besideBareInsert('pushedObservations', async () => {
      const sent: Sent[] = []
      for (const perResource of shapes) sent.push(await sendBatches(perResource, run.options.quick ? 20 : 200))
      return sent
    })
    await system.stop()
    for (const { reports } of [classic, resources]) reports.verify(system)
    return { taken, batches, bareInsert }
  } finally {
    await connection.close()
  }
}

/** Orders in which the kinds are measured. The orders differ, so that no kind always follows the same kind. */
const orders = [
  [0, 1, 2],
  [1, 0, 2],
  [1, 2, 0],
  [2, 1, 0],
  [2, 0, 1],
  [0, 2, 1],
]

const batchOf = (perResource: number) => `${batch.perBatch} in a batch, ${perResource} of a Resource`

/** Returns an odd number of rounds, as `middle` requires. */
const roundsOf = ({ options }: Run) => Math.max(fewestRounds, Math.floor(options.seconds / windowSeconds / 2) * 2 + 1)

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

/** Returns the round whose ratio is the median; the number of rounds is odd. */
function middle(found: readonly (readonly [number, number])[]): readonly [number, number] {
  const ratio = median(found.map(([measured, baseline]) => measured / baseline))
  return found.find(([measured, baseline]) => measured / baseline === ratio) ?? [Number.NaN, Number.NaN]
}

const roundRow = (rates: Rates, at: number) => ({
  round: at + 1,
  ...Object.fromEntries(kinds.map((kind, i) => [kind, Math.round(rates[i] as number)])),
})

/** Returns a row with the medians of the windows. */
function rowOf(what: string, windows: readonly Sent[]) {
  const middleOf = (of: (sent: Sent) => number) => median(windows.map(of))
  return {
    what,
    observations: windows.reduce((sum, { observations }) => sum + observations, 0),
    'observations/s': Math.round(middleOf(sentPerSecond)),
    'answer p50 ms': Number(middleOf(({ latency }) => latency.p50).toFixed(1)),
    'p99 ms': Number(middleOf(({ latency }) => latency.p99).toFixed(1)),
    'CPU ms/1,000': Math.round(middleOf(({ cpuMsPerThousand }) => cpuMsPerThousand)),
  }
}
