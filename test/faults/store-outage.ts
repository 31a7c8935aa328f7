// A fault in which the store is frozen or killed for 20 to 60 s and returns with its data.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Plan } from './life.ts'
import type { StoreStage } from './single-stage.ts'

export function planStoreOutage({ server }: StoreStage, random: Random): Plan {
  const isKilled = random.chance(0.5)
  const faultMs = random.integer(20, 60) * second
  const strike = async () => {
    if (isKilled) await server.kill()
    else server.freeze()
    await pause(faultMs)
    if (isKilled) await server.start()
    else server.thaw()
    return { fault: `store ${isKilled ? 'killed' : 'frozen'} for ${faultMs / second} s` }
  }
  return { noDataMs: 30 * second, faultMs, isChecked: true, isOff: true, strike }
}
