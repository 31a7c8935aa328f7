// Many incidents at once, sent to ten destinations. One destination accepts connections and never responds: it must not delay the other
// nine.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { Connection } from '../run/connection.ts'
import type { Run } from '../run/run-context.ts'
import { pollUntil, runAtOnce } from '../run/waiting.ts'
import { homeOf, seed } from './seed.ts'

const destinations = 10
const askedAtOnce = 50
const messagesTimeoutMs = 60_000

export interface Burst {
  incidents: number
  /** Number of messages to responding destinations. */
  told: number
  /** Time from the failure of the websites to the first failing check of the last website. */
  checkedMs: number
  /**
   * Time from the first failing check of the last website to the last message at the nine destinations; negative if the last message
   * arrives before that check.
   */
  lastAfterChecksMs: number
  /** Time from the failure of the websites to the last message at the nine destinations. */
  lastMs: number
}

/**
 * Starts a system for this measurement alone. All websites are checked each second without a confirmation delay, and fail from one instant
 * on.
 */
export function burstOfAlerts(run: Run, incidents: number): Promise<Burst> {
  return run.withSystem(async system => {
    await system.start()
    const dead = await startSilent()
    const connection = await system.connect()
    try {
      const home = await homeOf(connection, system.url, await system.key())
      const numbers = await addDestinations(connection, home.workspaceId, run.target.hookUrl, dead.url)
      const monitors = { ...home, locationIds: [home.locationId], intervalSeconds: 1, urlOf: run.target.urlOf }
      const { subjectIds } = await seed(connection, { ...monitors, from: 0, to: incidents, hold: 0 })
      await choose(connection, home.workspaceId, subjectIds, numbers)
      await run.target.untilSeen(incidents, messagesTimeoutMs)
      await pause(3_000)
      const hooksBefore = (await run.target.hooks(0)).length
      const failed = await run.target.failAll(incidents)
      const lastCheckAt = await lastOfFirstFailures(run, failed.count, incidents)
      const told = incidents - Math.ceil(incidents / destinations)
      const hooks = await pollUntil(
        `${told} messages`,
        () => run.target.hooks(hooksBefore),
        all => all.filter(({ body }) => body.includes(' is down"')).length >= told,
        { timeoutMs: messagesTimeoutMs, pauseMs: 100 },
      )
      await run.target.healAll(incidents)
      const last = Math.max(...hooks.filter(({ body }) => body.includes(' is down"')).map(({ at }) => at))
      return {
        incidents,
        told,
        checkedMs: lastCheckAt - failed.at,
        lastAfterChecksMs: last - lastCheckAt,
        lastMs: last - failed.at,
      }
    } finally {
      await connection.close()
      dead.stop()
    }
  })
}

/** Creates the destinations; number 0 never responds. Returns their public ids. */
async function addDestinations(connection: Connection, workspaceId: string, good: string, dead: string): Promise<number[]> {
  const numbers: number[] = []
  for (let i = 0; i < destinations; i++) {
    const { number } = await connection.directory.ask('create-destination', {
      id: randomId(idLength.destination),
      workspaceId,
      name: `d${i}`,
      type: 'webhook',
      url: i === 0 ? dead : `${good}?d=${i}`,
      channel: '',
      default: false,
      transformationId: null,
    })
    numbers.push(number)
  }
  return numbers
}

/** Assigns one destination to each subject; the destinations take turns. */
function choose(connection: Connection, workspaceId: string, subjectIds: string[], numbers: number[]): Promise<unknown> {
  return runAtOnce(subjectIds.length, askedAtOnce, async i => {
    const number = numbers[i % destinations] as number
    const selections = [{ number, alertKinds: ['problem' as const] }]
    await connection.directory.ask('put-delivery-table', { workspaceId, subjectId: subjectIds[i] as string, selections })
  })
}

/** Returns the instant at which the last of the paths failed for the first time, ms since the epoch. */
async function lastOfFirstFailures(run: Run, from: number, paths: number): Promise<number> {
  const firsts = new Map<number, number>()
  await pollUntil(
    `a failing check of each of ${paths}`,
    async () => {
      const hits = await run.target.hits(from)
      for (const [i, path] of hits.paths.entries()) {
        if (path < 0 && !firsts.has(path)) firsts.set(path, hits.instants[i] as number)
      }
      return firsts.size
    },
    size => size >= paths,
    { timeoutMs: messagesTimeoutMs, pauseMs: 100 },
  )
  return Math.max(...firsts.values())
}

/** Server that accepts connections and never responds. */
async function startSilent(): Promise<{ url: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
