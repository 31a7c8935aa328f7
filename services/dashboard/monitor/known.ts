// The facts about a monitor's signals that the sentences of its page need.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import type { Known } from '../words/why.ts'

const platform = /^reachability@(.+)$/

export function knownOf({ expects, locations }: MonitorDetail): Known {
  const nameOf = (signal: string) => locations[platform.exec(signal)?.[1] ?? ''] ?? signal
  return { expects, nameOf, now: now.value }
}
