// Fault runs: one NATS server of three is killed or frozen at a drawn instant and comes back later, while monitors are checked every 5 s, heartbeats are
// sent every 5 s and somebody writes all the time. Each message is held against what must be told.
// node test/faults/nats-node.ts --seeds 1-20
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createKeeperClient } from '#shared/bus/command-keeper.ts'
import { createSystemClock } from '#shared/clock.ts'
import { second } from '#shared/limits.ts'
import { Random } from '../simulation/random.ts'
import { type ClusterStage, setClusterStage } from './cluster-stage.ts'
import type { Spell } from './outside-world.ts'
import { type Comparison, compareTold, isAllTold, type Kind } from './told.ts'
import { createHeart, createSite, remove, type Timing } from './watched-things.ts'

const intervalMs = 5 * second
/** A blip of 6 s fails two checks at most, and is over 10 s after the first of them. */
const blipMs = 6 * second
const confirmMs = 15 * second
const recoverMs = 5 * second
const downMs = 45 * second
/** As silent as a monitor may be: three of its intervals. */
const noDataMs = 3 * intervalMs
const timing: Timing = { intervalMs, confirmMs, recoverMs, noDataMs }
/** Silence, its confirmation, and as long as silence is held back after a fault. */
const silentMs = 80 * second
/** So long after everything is well again a message may still be on its way. */
const settleMs = 40 * second

export interface Outcome extends Comparison {
  seed: number
  /** What was done to which server. */
  fault: string
  /** The longest time without a write that succeeded, and without a heartbeat of one sender that was taken, ms. */
  writeGapMs: number
  heartbeatGapMs: number
  /** Requests that were answered by an error, or not. */
  failedRequests: number
  /** Each sentence once. */
  failures: string[]
  /** How late the latest message of a problem was, beyond its interval and hold, ms. */
  latestMs: number
}

interface Thing {
  name: string
  /** It fails, or says nothing, in these spells. */
  spells: Spell[]
  expected: Kind[]
}

/** Lives through one seed on a stage that stands. What it makes there it removes. */
export async function loseOneServer(stage: ClusterStage, seed: number): Promise<Outcome> {
  const random = new Random(seed, 'nats-node')
  const bus = await stage.cluster.connect('harness')
  const clock = createSystemClock()
  const keeper = createKeeperClient(bus, clock)
  const beganAt = Date.now() + 15 * second
  const faultAt = beganAt + random.integer(2, 20) * second
  const sites = sitesOf(random, seed, beganAt, faultAt)
  const hearts = heartsOf(random, seed, faultAt)
  const things = [...sites, ...hearts]
  const from = stage.outside.messages.length
  const requests = createRequests()
  for (const { name, spells } of sites) stage.outside.fail(name, spells)
  const ids = [
    ...(await Promise.all(sites.map(({ name }) => createSite(stage, keeper, name, timing)))),
    ...(await Promise.all(hearts.map(({ name }) => createHeart(stage, keeper, name, timing)))),
  ]
  const senders = [...hearts.map(heart => sendHeartbeats(stage, heart, requests)), writeAllTheTime(stage, seed, requests)]

  await until(faultAt)
  const { fault, heal } = await strike(stage, random)
  await pause(random.integer(12, 30) * second)
  await heal()
  await stage.cluster.whole()
  const expected = new Map(things.map(({ name, expected: kinds }) => [name, kinds]))
  const messages = () => stage.outside.messages.slice(from)
  const overAt = Math.max(Date.now(), ...things.flatMap(({ spells }) => spells.map(({ to }) => to))) + settleMs
  while (Date.now() < overAt && !isAllTold(expected, messages())) await pause(second)
  // What should not come may come a little later.
  await until(Math.max(faultAt + 60 * second, Date.now() + 10 * second))
  requests.end()
  await Promise.all(senders)
  await Promise.all(ids.map(id => remove(keeper, id)))
  await bus.close()
  clock.stop()
  return {
    seed,
    fault,
    ...compareTold(expected, messages()),
    writeGapMs: requests.longestGap('write', faultAt),
    heartbeatGapMs: Math.max(
      ...hearts.filter(({ spells }) => spells.length === 0).map(({ name }) => requests.longestGap(name, faultAt)),
    ),
    failedRequests: requests.failures.length,
    failures: [...new Set(requests.failures)],
    latestMs: latenessOf(sites, messages()),
  }
}

/** Most are well, some blip (nobody is told), some go down for longer than their hold. */
function sitesOf(random: Random, seed: number, beganAt: number, faultAt: number): Thing[] {
  const thing = (name: string, spells: Spell[], expected: Kind[]): Thing => ({ name: `site-${seed}-${name}`, spells, expected })
  const around = (forMs: number): Spell => {
    const from = Math.max(beganAt, faultAt + random.integer(-20, 15) * second + random.integer(0, 999))
    return { from, to: from + forMs }
  }
  return [
    ...Array.from({ length: 14 }, (_, n) => thing(`well-${n}`, [], [])),
    ...Array.from({ length: 6 }, (_, n) => thing(`blip-${n}`, [around(blipMs)], [])),
    ...Array.from({ length: 6 }, (_, n) => thing(`down-${n}`, [around(downMs)], ['problem', 'ok'])),
  ]
}

function heartsOf(random: Random, seed: number, faultAt: number): Thing[] {
  return Array.from({ length: 10 }, (_, n) => {
    const from = faultAt + random.integer(-10, 10) * second
    const isSilent = n >= 7
    return {
      name: `heart-${seed}-${n}`,
      spells: isSilent ? [{ from, to: from + silentMs }] : [],
      expected: isSilent ? ['no_data', 'ok'] : [],
    }
  })
}

/** When which kind of request succeeded, and how many did not. */
function createRequests() {
  const succeeded = new Map<string, number[]>()
  const failures: string[] = []
  let endedAt: number | null = null
  return {
    /** Resolves with whether it succeeded. */
    note: async (name: string, request: Promise<unknown>): Promise<boolean> => {
      try {
        await request
        succeeded.set(name, [...(succeeded.get(name) ?? []), Date.now()])
        return true
      } catch (error) {
        failures.push((error as Error).message)
        return false
      }
    },
    isOver: () => endedAt !== null,
    end: () => {
      endedAt = Date.now()
    },
    failures,
    longestGap: (name: string, from: number): number => {
      const at = (succeeded.get(name) ?? []).filter(each => each > from)
      return Math.max(...[...at, endedAt ?? Date.now()].map((each, i, all) => each - (all[i - 1] ?? from)))
    },
  }
}

type Requests = ReturnType<typeof createRequests>

/** As a careful sender: what was not taken is sent again half a second later. */
async function sendHeartbeats(stage: ClusterStage, { name, spells }: Thing, requests: Requests): Promise<void> {
  const path = `/v2/subjects/${name}/signals/beat/observations?workspace_id=${stage.workspaceId}`
  while (!requests.isOver()) {
    const now = Date.now()
    const isSilent = spells.some(({ from, to }) => now >= from && now < to)
    const isTaken = isSilent || (await requests.note(name, stage.call('POST', path, { status: 'ok' })))
    await pause(isTaken ? Math.max(0, now + intervalMs - Date.now()) : second / 2)
  }
}

/** Makes a monitor and removes it, again and again. */
async function writeAllTheTime(stage: ClusterStage, seed: number, requests: Requests): Promise<void> {
  for (let n = 0; !requests.isOver(); n++) {
    const body = {
      workspace_id: stage.workspaceId,
      name: `written-${seed}-${n}`,
      interval: 86_400,
      locations: ['local'],
      request: { url: stage.outside.siteUrl('written'), method: 'GET' },
      response: { statuses: [200] },
    }
    let id = ''
    const making = stage.call<{ id: string }>('POST', '/v2/monitoring/websites', body).then(made => {
      id = made.id
    })
    if (await requests.note('write', making)) await requests.note('write', stage.call('DELETE', `/v2/monitoring/websites/${id}`))
    await pause(second / 2)
  }
}

async function strike({ cluster }: ClusterStage, random: Random): Promise<{ fault: string; heal(): Promise<void> }> {
  const led = random.pick(['OBSERVATIONS', 'KV_leases', 'KV_checks', 'KV_presence', 'meta', 'meta'])
  const victim = random.chance(0.7) ? ((await cluster.leaderOf(led)) ?? 0) : random.integer(0, 2)
  const isKilled = random.chance(0.5)
  const leads: string[] = []
  for (const stream of ['meta', 'OBSERVATIONS', 'KV_leases', 'KV_checks', 'KV_presence'])
    if ((await cluster.leaderOf(stream)) === victim) leads.push(stream)
  if (isKilled) await cluster.kill(victim)
  else cluster.freeze(victim)
  return {
    fault: `${isKilled ? 'killed' : 'frozen'} while it led ${leads.join(', ') || 'nothing'}`,
    heal: async () => (isKilled ? cluster.start(victim) : cluster.thaw(victim)),
  }
}

/** A website is told of an interval and a hold after it went down, at the latest. */
function latenessOf(sites: readonly Thing[], messages: ClusterStage['outside']['messages']): number {
  const late = sites.flatMap(({ name, spells: [spell] }) => {
    const told = messages.find(message => message.name === name && message.kind === 'problem')
    return spell === undefined || told === undefined ? [] : [told.at - spell.from - intervalMs - confirmMs]
  })
  return Math.max(0, ...late)
}

const until = (at: number): Promise<void> => pause(Math.max(0, at - Date.now()))

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1-20' } } })
  const [from = 1, to = from] = values.seeds.split('-').map(Number)
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const stage = await setClusterStage()
  if (stage === null) return
  const counts = { wrong: 0, lost: 0, doubled: 0 }
  try {
    for (let seed = from; seed <= to; seed++) {
      const outcome = await loseOneServer(stage, seed)
      const { fault, writeGapMs, heartbeatGapMs, failedRequests, latestMs } = outcome
      say(
        `seed ${seed}: ${fault}: no write for ${writeGapMs} ms, no heartbeat of one sender for ${heartbeatGapMs} ms, ${failedRequests} requests failed, told ${latestMs} ms late at most`,
      )
      for (const failure of outcome.failures) say(`  ${failure}`)
      for (const kind of ['wrong', 'lost', 'doubled'] as const) {
        counts[kind] += outcome[kind].length
        if (outcome[kind].length > 0) say(`  ${kind}: ${outcome[kind].join(', ')}`)
      }
    }
  } finally {
    await stage.stop()
  }
  say(`${to - from + 1} seeds: ${counts.wrong} false messages, ${counts.lost} lost, ${counts.doubled} doubled`)
  process.exitCode = counts.wrong + counts.lost + counts.doubled > 0 ? 1 : 0
}

if (import.meta.main) await main()
