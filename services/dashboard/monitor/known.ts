// The facts about a monitor's signals that the sentences and tables of its page need.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import { valueWithUnit } from '../data/format.ts'
import { signalName } from '../words/places.ts'
import type { Known } from '../words/why.ts'

export function knownOf(detail: MonitorDetail): Known {
  return { expects: detail.expects, nameOf: signal => nameIn(detail, signal), now: now.value }
}

type Checked = Pick<MonitorDetail, 'values'>

/** Returns the name of one of the monitor's signals. */
export const nameIn = ({ values, locations }: Checked & Pick<MonitorDetail, 'locations'>, signal: string): string =>
  signalName(signal, locations, values.length === 1)

/** Whether nobody else reports about the monitor. */
export const isOfChecksAlone = (detail: Checked & Pick<MonitorDetail, 'expects'>): boolean =>
  detail.values.length > 0 && Object.keys(detail.expects).every(signal => signal.includes('@'))

/** Heading of the values of a monitor. */
export const headOfValue = ({ values }: Checked): string => (values.length === 1 ? wordOf(values, 'Took') : 'Value')

/** Returns what the first check finds; a time is called `time`. */
const wordOf = ([first]: MonitorDetail['values'], time: string): string =>
  first === undefined || first.unit === 'ms' ? time : first.name

/** Returns the text of a signal's value, with the unit of its checks; empty: there is no value. */
export function valueIn({ values }: Checked, signal: string, value: number | null): string {
  if (value === null) return ''
  const of = values.find(one => signal.startsWith(`${one.signal}@`))
  return of === undefined ? String(value) : valueWithUnit(value, of.unit)
}

/** Title of the chart of a monitor's first check. */
export const chartTitle = ({ values }: Checked): string => wordOf(values, 'Response time')
