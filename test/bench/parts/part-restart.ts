// Restarts: time from a start until the system is ready, checks and judges. The first start has an empty folder; the later starts follow a
// clean stop and kill -9. Monitors have an interval of a second.
import { setTimeout as pause } from 'node:timers/promises'
import { seedWebsites } from '../fleets/website-fleet.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median, total } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { pollUntil } from '../run/waiting.ts'

interface Restart {
  stopMs: number
  readyMs: number
  firstCheckMs: number
  firstJudgedMs: number
}

const monitors = 400
const settleMs = 3_000

export async function restart(run: Run): Promise<PartResult> {
  const repeats = run.options.quick ? 1 : 5
  const found = await run.withSystem(async system => {
    const first = await system.start()
    await seedWebsites(run, system, { monitors, intervalSeconds: 1 })
    await run.target.untilSeen(monitors, 30_000)
    const clean: Restart[] = []
    const killed: Restart[] = []
    for (let repeat = 0; repeat < repeats; repeat++) {
      clean.push(await again(run, system, () => system.stop()))
      killed.push(await again(run, system, () => system.kill().then(() => 0)))
      run.say(`restart: ${repeat + 1} of ${repeats}`)
    }
    return { firstReadyMs: first.readyMs, clean, killed }
  })
  const { clean, killed } = found
  const middle = (restarts: Restart[], field: keyof Restart) => median(restarts.map(each => each[field]))
  const lower = { better: 'lower' } as const
  return {
    quantities: [
      quantity('restart', 'first start to ready', 'ms', found.firstReadyMs, { ...lower, budget: 2_000 }),
      quantity('restart', 'start after a clean stop to ready, median', 'ms', middle(clean, 'readyMs'), {
        ...lower,
        budget: 2_000,
      }),
      quantity('restart', 'start after kill -9 to ready, median', 'ms', middle(killed, 'readyMs'), { ...lower, budget: 2_000 }),
      quantity('restart', 'start after kill -9 to first check, median', 'ms', middle(killed, 'firstCheckMs'), {
        ...lower,
        budget: 3_000,
      }),
      quantity('restart', 'start after kill -9 to first judged result, median', 'ms', middle(killed, 'firstJudgedMs'), lower),
      quantity('restart', 'clean stop, median', 'ms', middle(clean, 'stopMs'), { ...lower, floor: 5_000 }),
    ],
    details: [
      {
        title: `Restarts with ${monitors} monitors at 1 s, ms from the start of the process`,
        rows: [...clean.map(rowOf('SIGTERM')), ...killed.map(rowOf('kill -9'))],
      },
    ],
  }
}

const rowOf = (by: string) => (restart: Restart) => ({
  'ended by': by,
  'stop took': by === 'SIGTERM' ? Math.round(restart.stopMs) : '-',
  ready: Math.round(restart.readyMs),
  'first check': Math.round(restart.firstCheckMs),
  'first judged result': Math.round(restart.firstJudgedMs),
})

async function again(run: Run, system: System, stop: () => Promise<number>): Promise<Restart> {
  await pause(settleMs)
  const stopMs = await stop()
  await run.target.forget()
  // Counters begin at 0 with each process, so the first counted result is the first after this start.
  const judged = async () => total(await system.metrics(), 'watchkeeper_keeper_inputs_total', 'kind="result"')
  const startedAt = performance.now()
  const starting = system.start()
  const judging = pollUntil('a judged result', judged, count => count > 0, { timeoutMs: 60_000, pauseMs: 5 })
  const { at, readyMs } = await starting
  await judging
  const firstJudgedMs = performance.now() - startedAt
  const { firstSeenAt } = await run.target.untilSeen(1, 30_000)
  return { stopMs, readyMs, firstCheckMs: (firstSeenAt as number) - at, firstJudgedMs }
}
