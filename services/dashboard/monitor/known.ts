// The facts about a monitor's signals that the sentences and tables of its page need.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import { valueWithUnit } from '../data/format.ts'
import { signalName } from '../words/places.ts'
import type { Known } from '../words/why.ts'

export function knownOf({ expects, locations }: MonitorDetail): Known {
  return { expects, nameOf: signal => signalName(signal, locations), now: now.value }
}

/** Heading of the values of a monitor. */
export const headOfValue = ({ value }: Pick<MonitorDetail, 'value'>): string =>
  value === null ? 'Value' : value.unit === 'ms' ? 'Took' : value.name

/** Returns the text of a value with the unit of the monitor's checks; empty: there is no value. */
export const valueIn = ({ value: of }: Pick<MonitorDetail, 'value'>, value: number | null): string =>
  value === null ? '' : of === null ? String(value) : valueWithUnit(value, of.unit)

/** Title of the chart of a monitor's checks. */
export const chartTitle = ({ value }: Pick<MonitorDetail, 'value'>): string =>
  value === null || value.unit === 'ms' ? 'Response time' : value.name
