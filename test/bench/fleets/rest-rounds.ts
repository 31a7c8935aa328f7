// Observations over REST compared with the bare route and with programs that do part of the work. A round measures system, bare route and
// programs one after the other. There are several rounds, because a machine's speed changes within seconds and only neighbouring windows
// are comparable.
import { type BareReceiver, startBareGateway, startBareIntake, startStoringGateway } from '../bare/bare-receivers.ts'
import { measureRoute } from '../bare/baselines.ts'
import { median } from '../run/statistics.ts'
import { createReports, type Reports } from './custom-fleet.ts'
import { type Receiver, type Senders, type Sent, sendByRest, sentPerSecond } from './push-observations.ts'

const rounds = 5
/** Warm-up before the first round: afterwards V8 has compiled the hot path, as in a server that has run for minutes. */
const firstWarmUpMs = 5_000
const warmUpMs = 2_000

/** Figures of the median round. The rounds are ordered by the ratio of their measured rate to their `bareRate`. */
export interface BesideBare {
  sent: Sent
  /** Requests per second of the bare route in the same round. */
  bareRate: number
}

export interface RestRounds {
  /** Rate of the system: observations one by one over REST. */
  rest: BesideBare
  /** Rate of the system, as in `rest`. Here `bareRate` is the rate of the program that only reads and inserts, in the same round. */
  restBesideIntake: BesideBare
  /** Rate of the program that only reads and inserts. */
  intake: BesideBare
  /** Rate of the gateway that only reads, checks and responds. */
  gateway: BesideBare
  /** Rate of the gateway that reads, checks, responds and stores later. */
  storedLater: BesideBare
  /** Medians over the rounds, ms. */
  p99Ms: number
  bareP99Ms: number
}

interface Turn {
  receiver: Receiver
  reports: Reports
  found: BesideBare[]
}

/** Measures each field of `RestRounds` for `seconds` in all, divided among the rounds. */
export async function measureRestRounds(
  system: Receiver,
  { fleet, reports }: Senders,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<RestRounds> {
  const bare: BareReceiver[] = []
  const turnOf = (receiver: Receiver, reports: Reports): Turn => ({ receiver, reports, found: [] })
  try {
    bare.push(await startBareIntake())
    bare.push(await startBareGateway(fleet))
    bare.push(await startStoringGateway(fleet))
    const turns = [turnOf(system, reports), ...bare.map(receiver => turnOf(receiver, createReports(fleet)))]
    const load = { connections, seconds: seconds / rounds }
    for (const { receiver, reports } of turns)
      await sendByRest(receiver, { fleet, reports }, { connections, seconds: 0.1, warmUpMs: firstWarmUpMs })
    const bareP99Ms: number[] = []
    for (let round = 0; round < rounds; round++) {
      const route = await measureRoute(system.url, '/api/version', { key: await system.key(), ...load })
      bareP99Ms.push(route.p99Ms)
      for (const { receiver, reports, found } of turns) {
        const sent = await sendByRest(receiver, { fleet, reports }, { ...load, warmUpMs })
        found.push({ sent, bareRate: route.requestsPerSecond })
      }
    }
    const [rest, intake, gateway, storedLater] = turns.map(({ found }) => middle(found)) as [
      BesideBare,
      BesideBare,
      BesideBare,
      BesideBare,
    ]
    const intakeRates = (turns[1] as Turn).found.map(({ sent }) => sentPerSecond(sent))
    const restBesideIntake = middle(
      (turns[0] as Turn).found.map(({ sent }, round) => ({ sent, bareRate: intakeRates[round] as number })),
    )
    const p99Ms = median((turns[0] as Turn).found.map(({ sent }) => sent.latency.p99))
    return { rest, restBesideIntake, intake, gateway, storedLater, p99Ms, bareP99Ms: median(bareP99Ms) }
  } finally {
    for (const receiver of bare) await receiver.stop()
  }
}

/** Returns the median round of an odd number of rounds. */
function middle(found: readonly BesideBare[]): BesideBare {
  const ratioOf = ({ sent, bareRate }: BesideBare) => sentPerSecond(sent) / bareRate
  return found.toSorted((a, b) => ratioOf(a) - ratioOf(b))[found.length >> 1] as BesideBare
}
