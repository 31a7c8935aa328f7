// Many times the load of a fault run: further websites that are checked, and further senders that report.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Thing } from './cast.ts'
import type { Pace } from './pace.ts'
import type { Stage } from './stage.ts'
import { createReported, createSite } from './watched-things.ts'

interface LoadOptions {
  pace: Pace
  /** Factor by which the load grows. */
  times: number
  forMs: number
}

/** Creations at once. */
const atOnce = 16

/** Returns the fault: the load grows by the factor. The websites stay; the reports end after `forMs`. */
export function planLoad(stage: Stage, random: Random, { pace, times, forMs }: LoadOptions) {
  return async (cast: readonly Thing[]): Promise<string> => {
    const extra = (isSite: boolean) => cast.filter(({ sort }) => (sort === 'site') === isSite).length * (times - 1)
    const sites = Array.from({ length: extra(true) }, (_, n) => `load-site-${n}`)
    const senders = Array.from({ length: extra(false) }, (_, n) => `load-sender-${n}`)
    const startedAt = Date.now()
    await stage.command(async keeper => {
      const waiting = [
        ...sites.map(name => () => createSite(stage, keeper, name, pace)),
        ...senders.map(name => () => createReported(stage, keeper, name, null, pace)),
      ]
      const work = async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next()
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    })
    const createdMs = Date.now() - startedAt
    const until = Date.now() + forMs
    const found = await Promise.all(
      senders.map(name => report(stage, name, { pace, until, firstInMs: random.integer(0, pace.intervalMs) })),
    )
    const [sent, failed] = [0, 1].map(at => found.reduce((sum, each) => sum + (each[at] as number), 0)) as [number, number]
    const rate = Math.round((sent * second) / forMs)
    return `${sites.length} more websites and ${senders.length} more senders, created in ${createdMs} ms; ${rate} reports/s, ${failed} refused`
  }
}

/** Reports `ok` at each interval; resolves with the numbers of accepted and of refused reports. */
async function report(
  { call, workspaceId }: Stage,
  name: string,
  { pace, until, firstInMs }: { pace: Pace; until: number; firstInMs: number },
): Promise<[number, number]> {
  const path = `/v2/subjects/${name}/signals/beat/observations?workspace_id=${workspaceId}`
  let [sent, failed] = [0, 0]
  await pause(firstInMs)
  for (let value = 0; Date.now() < until; value++) {
    const now = Date.now()
    await call('POST', path, { status: 'ok', value }).then(
      () => (sent += 1),
      () => (failed += 1),
    )
    await pause(Math.max(0, now + pace.intervalMs - Date.now()))
  }
  return [sent, failed]
}
