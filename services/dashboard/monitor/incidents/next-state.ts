// The state that the machine of an open incident reaches next without a new report. Pure.
import type { MonitorIncident } from '#shared/contracts/session/session-monitor.ts'

/** Returns the state that time alone causes next; null: time alone does not change the state. `verdict`: verdict of the incident's rule. */
export function nextState({ state, next }: Pick<MonitorIncident, 'state' | 'next'>, verdict: string | null): string | null {
  if (next?.what === 'close') return 'closed'
  if (next?.what !== 'confirm' || state !== 'pending') return null
  return verdict === 'no_data' ? 'noData' : 'problem'
}
