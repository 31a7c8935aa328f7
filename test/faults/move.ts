// The installation moves to a cluster and on to another folder while it works. The command that moves it is killed by kill -9, again and again.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Plan } from './life.ts'
import type { MoveStage, Moving } from './move-stage.ts'
import type { Ending } from './single-stage.ts'

const endings: Ending[] = ['stopped', 'killed']
const killsMost = 4
/** About what a move takes without a kill, on a busy machine. */
const moveMs = 20 * second

export function planMove(stage: MoveStage, random: Random): Plan {
  const draw = (to: Moving['to']): Moving => ({
    to,
    killsMs: Array.from({ length: random.integer(1, killsMost) }, () => random.integer(1, 15_000)),
    ending: random.pick(endings),
  })
  const [there, back] = [draw('cluster'), draw('folder')]
  const stayMs = random.integer(3, 15) * second
  const strike = async () => {
    const kills = [await stage.move(there)]
    await pause(stayMs)
    kills.push(await stage.move(back))
    const [first, then] = kills
    return {
      fault: `moved to a cluster (${there.ending}, ${first} kills) and to a folder (${back.ending}, ${then} kills)`,
    }
  }
  const killedMs = [...there.killsMs, ...back.killsMs].reduce((sum, ms) => sum + ms, 0)
  return { noDataMs: 15 * second, faultMs: killedMs + 2 * moveMs + stayMs, isChecked: false, isOff: true, strike }
}
