// Observations over REST beside the bare route and beside programs that do a part of the work: all in turn, several times over, because the speed
// of a machine changes within seconds and only neighbours compare.
import { type BareReceiver, startBareGateway, startBareIntake, startStoringGateway } from './bare-receivers.ts'
import { measureRoute } from './baselines.ts'
import { createReports, type Reports } from './custom-fleet.ts'
import { type Receiver, type Senders, type Sent, sendByRest, sentPerSecond } from './push-observations.ts'
import { median } from './statistics.ts'

const rounds = 5
/** Until V8 has compiled what is on the way: a server that has run for a minute is what people have. */
const firstWarmUpMs = 5_000
const warmUpMs = 2_000

/** Of the round whose ratio is the median. */
export interface BesideBare {
  sent: Sent
  /** Of the bare route in the same round, a second. */
  bareRate: number
}

export interface RestRounds {
  rest: BesideBare
  /** Only read and inserted. */
  intake: BesideBare
  /** Only read, checked and answered by the gateway. */
  gateway: BesideBare
  /** Only read, checked and answered by the gateway, and stored later. */
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

/** `seconds` for each of the five, over all rounds. */
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
    const p99Ms = median((turns[0] as Turn).found.map(({ sent }) => sent.latency.p99))
    return { rest, intake, gateway, storedLater, p99Ms, bareP99Ms: median(bareP99Ms) }
  } finally {
    for (const receiver of bare) await receiver.stop()
  }
}

/** Of an odd number of rounds. */
function middle(found: readonly BesideBare[]): BesideBare {
  const ratioOf = ({ sent, bareRate }: BesideBare) => sentPerSecond(sent) / bareRate
  return found.toSorted((a, b) => ratioOf(a) - ratioOf(b))[found.length >> 1] as BesideBare
}
