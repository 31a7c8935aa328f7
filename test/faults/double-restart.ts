// A fault in which the installation ends and starts twice. The second end comes at most 15 s after the first start.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Plan } from './life.ts'
import type { Ending, SingleStage } from './single-stage.ts'

/** Approximate duration of a start. */
const startMs = 3 * second

export function planDoubleRestart(stage: SingleStage, random: Random): Plan {
  const endings: Ending[] = ['stopped', 'killed']
  const [first, then] = [random.pick(endings), random.pick(endings)]
  const offMs = random.integer(15, 35) * second
  const upMs = random.integer(0, 14 * second)
  const againMs = random.integer(2, 25) * second
  const strike = async () => {
    await stage.end(first)
    await pause(offMs)
    await stage.start()
    await pause(upMs)
    await stage.end(then)
    await pause(againMs)
    await stage.start()
    const [off, up, again] = [offMs, upMs, againMs].map(ms => `${Math.round(ms / second)} s`)
    return { fault: `${first} for ${off}, up for ${up}, ${then} for ${again}` }
  }
  const faultMs = offMs + upMs + againMs + 2 * startMs
  return { noDataMs: 15 * second, faultMs, isChecked: false, isOff: true, strike }
}
