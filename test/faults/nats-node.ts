// A fault in which one NATS server of three is killed or frozen and comes back 12 to 30 s later.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { ClusterStage } from './cluster-stage.ts'
import type { Plan } from './life.ts'

const streams = ['meta', 'OBSERVATIONS', 'KV_leases', 'KV_checks', 'KV_check-pages', 'KV_presence']

export function planNatsNode({ cluster }: ClusterStage, random: Random): Plan {
  const led = random.pick([...streams, 'meta'])
  const isOfLeader = random.chance(0.7)
  const other = random.integer(0, 2)
  const isKilled = random.chance(0.5)
  const faultMs = random.integer(12, 30) * second
  const strike = async () => {
    const victim = isOfLeader ? ((await cluster.leaderOf(led)) ?? other) : other
    const leads: string[] = []
    for (const stream of streams) if ((await cluster.leaderOf(stream)) === victim) leads.push(stream)
    if (isKilled) await cluster.kill(victim)
    else cluster.freeze(victim)
    await pause(faultMs)
    if (isKilled) await cluster.start(victim)
    else cluster.thaw(victim)
    await cluster.whole()
    return { fault: `server ${isKilled ? 'killed' : 'frozen'} that led ${leads.join(', ') || 'nothing'}, ${faultMs / second} s` }
  }
  return { noDataMs: 15 * second, faultMs, isChecked: true, isOff: false, strike }
}
