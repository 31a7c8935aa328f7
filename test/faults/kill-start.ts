// The installation is killed by kill -9 and started at once, twice. After each start all websites must be checked again within an interval.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Thing } from './cast.ts'
import type { Plan } from './life.ts'
import { usualPace } from './pace.ts'
import type { SingleStage } from './single-stage.ts'

const kills = 2
const startMs = 3 * second
/**
 * Longest permitted time from a start to the check of a website. If the killed prober still counted as alive, its websites would be checked
 * 7 s later.
 */
const boundMs = usualPace.intervalMs + 1 * second

export function planKillStart(stage: SingleStage, random: Random): Plan {
  const pauses = Array.from({ length: kills }, () => boundMs + random.integer(1, 10 * second))
  const strike = async (cast: readonly Thing[]) => {
    const late: string[] = []
    let longestMs = 0
    for (const pauseMs of pauses) {
      const killedAt = Date.now()
      await stage.end('killed')
      await stage.start()
      const readyAt = Date.now()
      await pause(pauseMs)
      for (const { name } of cast.filter(({ sort }) => sort === 'site')) {
        const checkedAt = stage.outside.checksOf(name).find(at => at > killedAt) ?? Number.POSITIVE_INFINITY
        const uncheckedMs = checkedAt - readyAt
        longestMs = Math.max(longestMs, uncheckedMs)
        if (uncheckedMs > boundMs) late.push(`${name}: checked ${uncheckedMs} ms after the start`)
      }
    }
    return { fault: `killed ${kills} times, all checked within ${longestMs} ms of the start`, late }
  }
  const faultMs = pauses.reduce((sum, ms) => sum + ms + startMs, 0)
  return { noDataMs: 15 * second, faultMs, isChecked: false, isOff: true, strike }
}
