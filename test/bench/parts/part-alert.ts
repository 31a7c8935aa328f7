// Alerts: time from the failure of a website to its webhook, without other checks and while other checks run. The confirmation delay is 0.
import { setTimeout as pause } from 'node:timers/promises'
import { limits, second } from '#shared/limits/limits.ts'
import { burstOfAlerts } from '../fleets/burst-of-alerts.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import type { Target } from '../run/start-target.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import { pollUntil } from '../run/waiting.ts'

interface Outages {
  /** Time from the failure of the website to the message. On average half an interval passes before a check finds the failure. */
  fromFlip: Summary
  /** Time from the failing check's arrival at the target to the message. */
  fromCheck: Summary
  /** Time from the first passing check to the message of recovery. */
  recovery: Summary
}

const watched = 10
const background = 400
/** Minimal time between the starts of two outages. */
const spacingMs = 2_000
const messageTimeoutMs = 20_000
/** Time by which a chain and nine further destinations may delay the first message. */
const chainMs = 5
const furtherDestinations = 9

export async function alert(run: Run): Promise<PartResult> {
  const outages = Math.max(run.options.quick ? 4 : 20, Math.round((run.options.seconds * 1_000) / spacingMs))
  const { alone, chained, busy } = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      const key = await system.key()
      const home = await homeOf(connection, system.url, key)
      await addDestination(system.url, key, run.target.hookUrl)
      const monitors = { ...home, locationIds: [home.locationId], intervalSeconds: 1, urlOf: run.target.urlOf }
      await seed(connection, { ...monitors, from: 0, to: watched, hold: 0 })
      await run.target.untilSeen(watched, 30_000)
      // Maximal time until the notifier knows a new destination and is ready to send.
      await pause(limits.notifier.scanMs + 1_000)
      run.say(`alert: ${outages} outages`)
      const alone = await causeOutages(run.target, outages)
      await addChain(system.url, key, home.workspaceId, run.target.hookUrl)
      await pause(limits.notifier.scanMs + 1_000)
      run.say(`alert: ${outages} outages with a chain of three among ten destinations`)
      const chained = await causeOutages(run.target, outages)
      await seed(connection, { ...monitors, from: watched, to: watched + background })
      await run.target.untilSeen(watched + background, 30_000)
      await pause(3_000)
      run.say(`alert: ${outages} outages while ${background} checks a second run`)
      return { alone, chained, busy: await causeOutages(run.target, outages) }
    } finally {
      await connection.close()
    }
  })
  const incidents = run.options.quick ? 100 : 1_000
  run.say(`alert: ${incidents} incidents at once, ten destinations, one of them dead`)
  const burst = await burstOfAlerts(run, incidents)
  const lower = { better: 'lower' } as const
  return {
    quantities: [
      quantity('alert', 'failing check to webhook, median', 'ms', alone.fromCheck.p50, { ...lower, budget: 50, floor: 100 }),
      quantity('alert', 'failing check to webhook, p99', 'ms', alone.fromCheck.p99, { ...lower, budget: 150 }),
      quantity('alert', 'the same with a chain of three among ten destinations, median', 'ms', chained.fromCheck.p50, {
        ...lower,
        budget: alone.fromCheck.p50 + chainMs,
      }),
      quantity('alert', `failing check to webhook at ${background}/s, median`, 'ms', busy.fromCheck.p50, {
        ...lower,
        budget: 50,
        floor: 100,
      }),
      quantity('alert', `failing check to webhook at ${background}/s, p99`, 'ms', busy.fromCheck.p99, { ...lower, budget: 150 }),
      quantity(
        'alert',
        `${incidents} incidents at once, one of ten destinations dead, the last at the nine`,
        'ms',
        burst.lastMs,
        {
          ...lower,
          budget: 10 * second,
        },
      ),
    ],
    details: [
      {
        title: 'From trouble to webhook, hold 0, interval 1 s',
        rows: [...rowsOf('alone', alone), ...rowsOf('with a chain', chained), ...rowsOf(`at ${background} checks/s`, busy)],
      },
      {
        title: 'Many incidents at once, ten destinations, one of them dead',
        rows: [
          {
            incidents: burst.incidents,
            'told to the nine': burst.told,
            'all failing checks after ms': burst.checkedMs.toFixed(0),
            'then the last message ms': burst.lastAfterChecksMs.toFixed(0),
          },
        ],
      },
    ],
  }
}

function rowsOf(load: string, outages: Outages): Record<string, string | number>[] {
  const names = {
    fromFlip: 'flip to webhook, interval included',
    fromCheck: 'failing check to webhook',
    recovery: 'passing check to webhook',
  }
  return (Object.keys(names) as (keyof Outages)[]).map(name => {
    const { count, p50, p99, max } = outages[name]
    return { load, what: names[name], count, 'p50 ms': p50.toFixed(1), 'p99 ms': p99.toFixed(1), 'max ms': max.toFixed(1) }
  })
}

async function addDestination(url: string, key: string, hookUrl: string): Promise<void> {
  const answer = await fetch(`${url}/api/v2/notifications/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', destination_type: 'webhook', url: hookUrl, default: true }),
  })
  const { error } = (await answer.json()) as { error: { message: string; details: string } | null }
  if (error) throw new Error(`The destination was refused: ${error.message}: ${error.details}`)
}

/** Adds nine destinations, and makes a chain of three the default: the first hears at once, the others after minutes. */
async function addChain(url: string, key: string, workspaceId: string, hookUrl: string): Promise<void> {
  const path = `${url}/api/v3/workspaces/${workspaceId}/destinations`
  const add = async (body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error } = (await answer.json()) as { error: { message: string } | null }
    if (error) throw new Error(`The destination was refused: ${error.message}`)
  }
  for (let n = 1; n <= furtherDestinations; n++) await add({ name: `further ${n}`, type: 'webhook', url: hookUrl })
  const steps = ['bench', 'further 1', 'further 2'].map((destination, i) => ({ destination, after_minutes: 10 * i }))
  await add({ name: 'chain', type: 'chain', settings: { steps }, default: true })
}

/** Causes outages one after the other, on different paths. Ends an outage when its message has arrived. */
async function causeOutages(target: Target, count: number): Promise<Outages> {
  const samples = { fromFlip: [] as number[], fromCheck: [] as number[], recovery: [] as number[] }
  for (let outage = 0; outage < count; outage++) {
    const startedAt = performance.now()
    const path = outage % watched
    const failed = await target.fail(path)
    const down = await messageOf(target, `m${path} is down`, failed.at)
    samples.fromFlip.push(down - failed.at)
    samples.fromCheck.push(down - (await firstHit(target, failed.count, -1 - path)))
    const healed = await target.heal(path)
    const up = await messageOf(target, `m${path} is back up`, healed.at)
    samples.recovery.push(up - (await firstHit(target, healed.count, path)))
    // Shifts the next outage against the slots, so that the time from an outage to its check differs each time.
    const staggerMs = (outage * 137) % 1_000
    await pause(Math.max(0, spacingMs - (performance.now() - startedAt)) + staggerMs)
  }
  return { fromFlip: summarize(samples.fromFlip), fromCheck: summarize(samples.fromCheck), recovery: summarize(samples.recovery) }
}

/** Returns the instant at which the message with this title arrived, ms since the epoch. */
async function messageOf(target: Target, title: string, since: number): Promise<number> {
  const isMeant = (hook: { at: number; body: string }) => hook.at >= since && hook.body.includes(`"${title}"`)
  const hooks = await pollUntil(
    `the message "${title}"`,
    () => target.hooks(0),
    all => all.some(isMeant),
    {
      timeoutMs: messageTimeoutMs,
      pauseMs: 20,
    },
  )
  return hooks.find(isMeant)?.at as number
}

/**
 * Returns the instant of the first hit on a path; ignores the oldest `from` hits of the target. `signedPath`: number of the path for a
 * passing check, `-1 - number` for a failing check.
 */
async function firstHit(target: Target, from: number, signedPath: number): Promise<number> {
  const { instants, paths } = await target.hits(from)
  const at = instants[paths.indexOf(signedPath)]
  if (at === undefined) throw new Error('There was a message without a check.')
  return at
}
