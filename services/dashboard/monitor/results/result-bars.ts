// Results of checks as bars, each with its instant, location and sentence. Pure.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import type { Bar } from '../../charts/bars.tsx'
import { instant } from '../../data/format.ts'
import { stateOf } from '../../words/statuses.ts'
import { nameIn, valueIn } from '../known.ts'

/** An entry of the Observation log of generation 3. */
export interface Result {
  id: string
  signal: string
  state: string
  value: number | null
  at: string
  reason: string | null
}

const looks: Readonly<Record<string, Bar['look']>> = { ok: 'passed', problem: 'failed' }

/** Returns the results of the first check oldest first. `found`: newest first, also those of other signals. */
export const barsOf = (found: readonly Result[], detail: Pick<MonitorDetail, 'values' | 'locations'>): Bar[] =>
  found
    .filter(({ signal }) => signal.startsWith(`${detail.values[0]?.signal}@`))
    .toReversed()
    .map(result => {
      const { id, signal, state, at, value, reason } = result
      const parts = [stateOf(state).word, reason ?? '', valueIn(detail, signal, value)].filter(part => part !== '')
      const words = `${instant(Date.parse(at))}, ${nameIn(detail, signal)}: ${parts.join(', ')}`
      return { key: `${id} ${at}`, look: looks[state] ?? 'silent', words }
    })
