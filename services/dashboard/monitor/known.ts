// The facts about a monitor's signals that the sentences of its page need.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import { signalName } from '../words/places.ts'
import type { Known } from '../words/why.ts'

export function knownOf({ expects, locations }: MonitorDetail): Known {
  return { expects, nameOf: signal => signalName(signal, locations), now: now.value }
}
