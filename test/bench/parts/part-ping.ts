// Pings at the full hour, beside 10,000 checks a minute: 1,000 jobs report within one second, each once on a connection of its own, as curl
// does. Then 2,000 a second for some seconds, which is more than is promised: a ping is stored, or is 503 with Retry-After.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { idLength, randomId } from '#shared/text/ids.ts'
import { homeOf, patiently, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { atPace, runAtOnce } from '../run/waiting.ts'

const template = 'heartbeat-check@1'
/** Monitors that are checked each second: 10,020 checks a minute. */
const monitors = 167
const commandsAtOnce = 100
const answeredWithinMs = 4_000
/** Rate above what is promised, pings a second. */
const overload = { perSecond: 2_000, seconds: 5 }
const warmUps = 3
/** A job may get 60 pings in a minute that are all stored: those of the warm-up, these, and 10 of the overload. */
const hoursMost = 40

/** Answers to pings that were sent together. */
interface Pinged {
  sent: number
  stored: number
  /** 503 with `Retry-After`. */
  refused: number
  /** Any other answer, and none. */
  failed: number
  /** Time from the begin of the connection to the answer of the stored ones, ms. */
  latency: Summary
  cpuMs: number
}

interface Found {
  hours: Pinged[]
  flood: Pinged
  observed: Observed
  /** Pings that were answered with 200 and are not stored. */
  lost: number
}

export async function ping(run: Run): Promise<PartResult> {
  const jobs = run.options.quick ? 100 : 1_000
  run.say(`ping: ${jobs} pings in a second beside ${monitors * 60} checks a minute`)
  const { hours, flood, observed, lost } = await run.withSystem(system => measure(run, system, jobs))
  const worst = hours.toSorted((a, b) => b.latency.max - a.latency.max)[0] as Pinged
  const ofAll = (count: (pinged: Pinged) => number) => hours.reduce((sum, pinged) => sum + count(pinged), 0)
  const lower = { better: 'lower' } as const
  const name = `${jobs} pings in one second beside ${monitors * 60} checks a minute`
  return {
    quantities: [
      quantity('ping', `${name}, slowest answer`, 'ms', worst.latency.max, { ...lower, budget: answeredWithinMs }),
      quantity(
        'ping',
        `${name}, not answered with 200`,
        '',
        ofAll(({ sent, stored }) => sent - stored),
        { ...lower, budget: 0 },
      ),
      quantity('ping', 'pings answered with 200 that are not stored', '', lost, { ...lower, floor: 0 }),
      quantity('ping', `${overload.perSecond} pings a second, neither 200 nor 503 with Retry-After`, '', flood.failed, {
        ...lower,
        budget: 0,
      }),
      quantity('ping', 'checks on time within 100 ms meanwhile', '%', observed.onTime * 100, { better: 'higher', budget: 99 }),
    ],
    details: [
      {
        title: 'Pings',
        rows: [...hours.map((pinged, at) => rowOf(`full hour ${at + 1}`, pinged)), rowOf('more than promised', flood)],
      },
    ],
  }
}

async function measure(run: Run, system: System, jobs: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  try {
    const home = await homeOf(connection, system.url, await system.key())
    const paths = await seedJobs(connection, home.workspaceId, jobs)
    const checked = { from: 0, to: monitors, intervalSeconds: 1, workspaceId: home.workspaceId, locationIds: [home.locationId] }
    const { subjectIds } = await seed(connection, { ...checked, urlOf: run.target.urlOf })
    await run.target.untilSeen(monitors, 60_000)
    const perSecond = (rate: number, seconds: number) => sendPings(system, paths, rate, seconds)
    const warmed: Pinged[] = []
    for (let i = 0; i < warmUps; i++) warmed.push(await perSecond(jobs, 1))
    const hours: Pinged[] = []
    const seconds = Math.max(run.options.seconds, 10)
    const until = performance.now() + (seconds - 5) * 1_000
    const atHours = async () => {
      do hours.push(await perSecond(jobs, 1))
      while (performance.now() < until && hours.length < hoursMost)
    }
    const observing = { system, target: run.target, subjectIds, intervalMs: 1_000, seconds }
    const [observed] = await Promise.all([observe(observing), atHours()])
    run.say(`ping: ${overload.perSecond} pings a second`)
    const flood = await perSecond(run.options.quick ? 200 : overload.perSecond, overload.seconds)
    await system.stop()
    const answered = [...warmed, ...hours, flood].reduce((sum, { stored }) => sum + stored, 0)
    return { hours, flood, observed, lost: Math.max(0, answered - storedRows(system)) }
  } finally {
    await connection.close()
  }
}

/** Creates one Resource for each job. Returns the paths of their ping addresses. */
async function seedJobs({ keeper, directory }: Connection, workspaceId: string, jobs: number): Promise<string[]> {
  const paths: string[] = []
  await runAtOnce(jobs, commandsAtOnce, async index => {
    const subjectId = randomId(idLength.subject)
    const slug = `job-${index}`
    const made = { id: randomId(16), workspaceId, slug, name: slug, template, answers: {}, labels: {} }
    await patiently(() => keeper.send(subjectId, { kind: 'create-resource', ...made }))
    const [address] = await directory.ask('list-ping-addresses', { workspaceId, subjectId, signals: ['run'] })
    paths[index] = `/ping/${address?.id}`
  })
  return paths
}

/** Sends pings at this rate, each on a connection of its own and to the jobs in turn. Each 200 must be a stored row. */
async function sendPings(system: System, paths: readonly string[], perSecond: number, seconds: number): Promise<Pinged> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const times: number[] = []
  const pinged = { sent: 0, stored: 0, refused: 0, failed: 0 }
  const { cpuMs } = system.usage()
  await atPace(perSecond, seconds, async index => {
    pinged.sent++
    const startedAt = performance.now()
    const { status, retryAfter } = await sendPing(system.url + (paths[index % paths.length] as string), agent)
    if (status === 200) {
      pinged.stored++
      times.push(performance.now() - startedAt)
    } else if (status === 503 && retryAfter !== undefined) pinged.refused++
    else pinged.failed++
  })
  return { ...pinged, latency: summarize(times), cpuMs: system.usage().cpuMs - cpuMs }
}

/** Status 0: there was no answer. */
const sendPing = (url: string, agent: Agent): Promise<{ status: number; retryAfter?: string | undefined }> =>
  new Promise(resolve => {
    const sending = request(url, { agent }, response => {
      const { statusCode: status = 0, headers } = response
      response.resume().once('end', () => resolve({ status, retryAfter: headers['retry-after'] }))
    })
    sending.once('error', () => resolve({ status: 0 })).end()
  })

/** Returns the number of pushed Observations in the store of the stopped system. All are pings. */
function storedRows({ dataFolder }: System): number {
  const database = new DatabaseSync(join(dataFolder, 'watchkeeper.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS rows FROM pushedObservations').get()?.['rows'])
  } finally {
    database.close()
  }
}

const rowOf = (what: string, { sent, stored, refused, failed, latency, cpuMs }: Pinged) => ({
  what,
  ...{ sent, stored, '503': refused, failed },
  'answer p50 ms': Number(latency.p50.toFixed(1)),
  'p99 ms': Number(latency.p99.toFixed(1)),
  'slowest ms': Number(latency.max.toFixed(1)),
  'CPU ms/1,000': Math.round((cpuMs * 1_000) / sent),
})
