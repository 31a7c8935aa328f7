// The state that the machine of an open incident reaches next without a new report. Pure.
import type { MonitorIncident } from '#shared/contracts/session/session-monitor.ts'

/** `verdict`: verdict of the incident's rule. Returns null if time alone changes no state. */
export function nextState({ state, next }: Pick<MonitorIncident, 'state' | 'next'>, verdict: string | null): string | null {
  if (next?.what === 'close') return 'closed'
  if (next?.what !== 'confirm' || state !== 'pending') return null
  return verdict === 'no_data' ? 'noData' : 'problem'
}
