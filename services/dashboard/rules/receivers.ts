// The destinations that receive messages of a subject, by kind of message. Pure.
import { listed } from '../data/format.ts'

/** Delivery table in the form of generation 2. */
export interface DeliveryTable {
  selections: readonly { destination_name: string; alert_kinds: readonly string[] }[]
}

export interface ReceiverDestination {
  name: string
  enabled: boolean
  default: boolean
}

export interface Receiver {
  name: string
  enabled: boolean
}

export interface Receivers {
  problem: readonly Receiver[]
  no_data: readonly Receiver[]
  recovery: readonly Receiver[]
}

/** Returns the destinations in the rows of the table. If the table has no rows, returns the workspace's default destination. */
export function receiversOf({ selections }: DeliveryTable, destinations: readonly ReceiverDestination[]): Receivers {
  const of = (kind: keyof Receivers): Receiver[] => {
    if (selections.length === 0) return destinations.filter(one => one.default)
    const names = selections.filter(row => row.alert_kinds.includes(kind)).map(row => row.destination_name)
    return names.map(name => ({ name, enabled: destinations.find(one => one.name === name)?.enabled ?? true }))
  }
  return { problem: of('problem'), no_data: of('no_data'), recovery: of('recovery') }
}

/** Returns a part of a sentence: `Ops and Desk are notified`, or `nobody is notified: …`. */
export function notifiedWords(receivers: readonly Receiver[]): string {
  const on = receivers.filter(({ enabled }) => enabled).map(({ name }) => name)
  const off = receivers.filter(({ enabled }) => !enabled).map(({ name }) => name)
  if (on.length > 0) return `${listed(on)} ${on.length === 1 ? 'is' : 'are'} notified`
  if (off.length > 0) return `nobody is notified: ${listed(off)} ${off.length === 1 ? 'is' : 'are'} disabled`
  return 'nobody is notified: no destination is meant for it'
}
