// Event streams: one gateway sends 20 messages a second to 1,000 browsers while checks run. Measures memory and CPU for each browser, and
// the delay of a message.
import { type ClientRequest, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { signInMembers } from '../run/session-client.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { atPace, runAtOnce } from '../run/waiting.ts'

const messagesPerSecond = 20
const streamsPerPerson = 50
const intervalSeconds = 10
const settleMs = 5_000
const budget = { kilobytes: 40, microseconds: 15, onTime: 0.99 }

interface Found {
  streams: number
  kilobytes: number
  /** CPU of the system for each message and browser. */
  microseconds: number
  delayMs: Summary
  rest: Observed
  busy: Observed
}

export async function events(run: Run): Promise<PartResult> {
  const streams = run.options.quick ? 100 : 1_000
  const monitors = run.options.quick ? 200 : 2_000
  const found = await run.withSystem(system => measure(run, system, streams, monitors))
  const name = (what: string) => `${streams} event streams, ${what}`
  return {
    quantities: [
      quantity('events', name('memory of each'), 'kB', found.kilobytes, { better: 'lower', budget: budget.kilobytes }),
      quantity('events', name('CPU a message and browser'), 'µs', found.microseconds, {
        better: 'lower',
        budget: budget.microseconds,
      }),
      quantity('events', name('checks on time beside them'), '', found.busy.onTime, { better: 'higher', budget: budget.onTime }),
    ],
    details: [
      {
        title: `${found.streams} streams, ${messagesPerSecond} messages a second`,
        rows: [
          {
            'to all, p50 ms': found.delayMs.p50.toFixed(0),
            'p99 ms': found.delayMs.p99.toFixed(0),
            'checks on time before, %': (found.rest.onTime * 100).toFixed(1),
            'with streams, %': (found.busy.onTime * 100).toFixed(1),
            'checks late p99 ms, before': found.rest.lateness.p99.toFixed(0),
            'with streams': found.busy.lateness.p99.toFixed(0),
          },
        ],
      },
    ],
  }
}

async function measure(run: Run, system: System, streams: number, monitors: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  let opened: Opened | null = null
  try {
    const { workspaceId, locationId } = await homeOf(connection, system.url, await system.key())
    const { urlOf } = run.target
    const seeding = { from: 0, to: monitors, intervalSeconds, workspaceId, locationIds: [locationId], urlOf }
    const { subjectIds } = await seed(connection, seeding)
    const people = await signInMembers(connection, system.url, workspaceId, Math.ceil(streams / streamsPerPerson))
    await pause(settleMs)
    const seconds = Math.max(run.options.seconds / 2, intervalSeconds)
    const observing = { system, target: run.target, subjectIds, intervalMs: intervalSeconds * 1_000, seconds }
    const rest = await observe(observing)
    const before = system.usage()
    run.say(`events: ${streams} streams`)
    opened = await openStreams(`${system.url}/api/v3/workspaces/${workspaceId}/events`, people, streams)
    await pause(settleMs)
    const kilobytes = (system.usage().residentBytes - before.residentBytes) / 1_000 / streams
    const work = observe(observing)
    const idle = cpuOf(rest)
    await atPace(messagesPerSecond, seconds, async i => tell(connection, workspaceId, i))
    const busy = await work
    const microseconds = ((cpuOf(busy) - idle) * 1_000) / (messagesPerSecond * streams)
    return { streams, kilobytes, microseconds, delayMs: summarize(opened.delays()), rest, busy }
  } finally {
    opened?.close()
    await connection.close()
  }
}

/** Returns the CPU time in a second, ms. */
const cpuOf = ({ cpuMsPerThousand, hitsPerSecond }: Observed): number => (cpuMsPerThousand * hitsPerSecond) / 1_000

interface Opened {
  /** Times from the message on the bus to each stream, ms. */
  delays(): number[]
  close(): void
}

async function openStreams(url: string, people: readonly { cookie: string }[], count: number): Promise<Opened> {
  const requests: ClientRequest[] = []
  const delays: number[] = []
  const listen = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const cookie = people[index % people.length]?.cookie ?? ''
      const asking = request(url, { headers: { cookie, accept: 'text/event-stream' }, agent: false }, response => {
        if (response.statusCode !== 200) return reject(new Error(`A stream answered ${response.statusCode}.`))
        response.on('data', chunk => {
          // Reads only one stream in ten, so that the run itself takes little CPU.
          if (index % 10 === 0)
            for (const [, at] of String(chunk).matchAll(/"name":"(\d+)"/g)) delays.push(Date.now() - Number(at))
        })
        response.on('error', () => undefined)
        response.once('data', () => resolve())
      })
      asking.on('error', reject)
      asking.end()
      requests.push(asking)
    })
  await runAtOnce(count, 20, listen)
  return { delays: () => delays, close: () => requests.forEach(asking => void asking.destroy()) }
}

/** Publishes a row of about 500 bytes whose name is the instant of its publication. */
function tell({ bus }: Connection, workspaceId: string, i: number): void {
  const incident = {
    id: 'Bench00001.1',
    rule: 'reachability',
    cause: null,
    explanation: 'x'.repeat(120),
    acknowledged: null,
    next: null,
  }
  const base = {
    key: 'a-monitor-of-the-list',
    kind: 'website',
    template: 'website-check@1',
    host: 'shop.example',
    incident,
  } as const
  const row = { ...base, id: `Bench${String(i % 1_000).padStart(5, '0')}`, rev: i + 1, name: String(Date.now()) }
  const news: News = { kind: 'row', row: { ...row, status: 'down', since: Date.now(), incidents: 1, maintenanceUntil: null } }
  bus.publish(subjects.state(workspaceId, row.id), news)
}
