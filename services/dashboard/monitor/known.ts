// The facts about a monitor's signals that the sentences and tables of its page need.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import { valueWithUnit } from '../data/format.ts'
import { isPlatformKey, signalName } from '../words/places.ts'
import type { Known } from '../words/why.ts'

export function knownOf(detail: MonitorDetail): Known {
  return { expects: detail.expects, nameOf: signal => nameIn(detail, signal), now: now.value }
}

type Checked = Pick<MonitorDetail, 'values'>

/** Returns the name of one of the monitor's signals. */
export const nameIn = ({ values, locations }: Checked & Pick<MonitorDetail, 'locations'>, signal: string): string =>
  signalName(signal, locations, values.length === 1)

/** Whether probers check something of the monitor. */
export const hasChecks = ({ values }: Checked): boolean => values.length > 0

/** Whether nobody else reports about the monitor. */
export const isOfChecksAlone = (detail: Checked & Pick<MonitorDetail, 'expects'>): boolean =>
  hasChecks(detail) && Object.keys(detail.expects).every(isPlatformKey)

/** Heading of the values of a monitor. */
export function headOfValue({ values }: Checked): string {
  const [only, ...others] = values
  if (only === undefined || others.length > 0) return 'Value'
  return only.unit === 'ms' ? 'Took' : only.name
}

/** Returns the text of a signal's value, with the unit of its checks; empty: there is no value. */
export function valueIn({ values }: Checked, signal: string, value: number | null): string {
  if (value === null) return ''
  const of = values.find(one => signal.startsWith(`${one.signal}@`))
  return of === undefined ? String(value) : valueWithUnit(value, of.unit)
}

/** Title of the chart of a monitor's first check. */
export const chartTitle = ({ values: [first] }: Checked): string =>
  first === undefined || first.unit === 'ms' ? 'Response time' : first.name
