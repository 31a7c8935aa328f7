// The table of alert delivery of a monitor: every row names a destination and the kinds of messages that it gets (reference/messages 4).
// This file reads and writes the table, and describes the table in words.
import { askV3 } from '../../data/api.ts'
import { askV2 } from '../../data/api-v2.ts'
import { listed } from '../../data/format.ts'
import { workspaceId } from '../../data/session.ts'

export const kinds = ['problem', 'no_data', 'recovery'] as const
export type Kind = (typeof kinds)[number]

export const kindWords: Readonly<Record<Kind, string>> = { problem: 'Problems', no_data: 'No data', recovery: 'Recoveries' }

export interface Destination {
  id: number
  name: string
  enabled: boolean
}

export interface Row {
  destination_id: number
  alert_kinds: readonly Kind[]
}

export interface AlertDelivery {
  destinations: readonly Destination[]
  rows: readonly Row[]
  /** Name of the workspace's default destination; null: the workspace has none. */
  usual: string | null
}

/** Returns the path of the table. The path names a website monitor by id, a custom subject by key. */
export const tableOf = (kind: 'website' | 'custom', id: string, key: string): string =>
  kind === 'website' ? `/monitoring/websites/${encodeURIComponent(id)}/delivery` : `/subjects/${encodeURIComponent(key)}/delivery`

interface Table {
  selections: readonly (Row & { destination_name: string })[]
}

/**
 * Reads the table. Generation 2 lists all destinations only for editors, because the list contains URLs. So viewers see only the
 * destinations that the rows name.
 */
export async function readAlertDelivery(table: string, mayChange: boolean): Promise<AlertDelivery> {
  const [{ selections }, known, all] = await Promise.all([
    askV2<Table>('GET', table),
    mayChange ? askV2<Destination[]>('GET', '/notifications/destinations') : null,
    askV3<readonly { name: string; default: boolean }[]>(
      'GET',
      `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/destinations`,
    ),
  ])
  const named = selections.map(({ destination_id: id, destination_name: name }) => ({ id, name, enabled: true }))
  const rows = selections.map(({ destination_id, alert_kinds }) => ({ destination_id, alert_kinds }))
  return { destinations: known ?? named, rows, usual: all.find(one => one.default)?.name ?? null }
}

/** Replaces all rows of the table. If `rows` is empty, the workspace's default destination gets the messages. Rejects with a Refusal. */
export const saveRows = (table: string, rows: readonly Row[]): Promise<unknown> =>
  rows.length === 0 ? askV2('DELETE', table) : askV2('POST', table, { selections: rows })

export const isChosen = (rows: readonly Row[], id: number, kind: Kind): boolean =>
  rows.some(row => row.destination_id === id && row.alert_kinds.includes(kind))

/**
 * Returns the rows after a click: adds the kind of message to the destination, or removes the kind if the destination had it. A destination
 * without kinds has no row.
 */
export function toggled(rows: readonly Row[], id: number, kind: Kind): Row[] {
  const chosen = kinds.filter(one => (one === kind) !== isChosen(rows, id, one))
  const others = rows.filter(row => row.destination_id !== id)
  return chosen.length === 0 ? others : [...others, { destination_id: id, alert_kinds: chosen }]
}

/** Returns a sentence about the destinations that get messages by these rows. */
export function deliveryWords({ destinations, rows, usual }: AlertDelivery): string {
  if (rows.length === 0) {
    return usual === null
      ? 'Nobody is notified: no destination is chosen, and the workspace has no default.'
      : `${usual}, the default of the workspace, gets all messages.`
  }
  const nameOf = (id: number) => destinations.find(one => one.id === id)?.name ?? 'a destination'
  const parts = rows.map(
    row => `${nameOf(row.destination_id)} gets ${listed(row.alert_kinds.map(kind => kindWords[kind].toLowerCase()))}`,
  )
  const left = kinds.filter(kind => !rows.some(row => row.alert_kinds.includes(kind)))
  const nobody = left.length === 0 ? '' : ` Nobody is notified of ${listed(left.map(kind => kindWords[kind].toLowerCase()))}.`
  return `${parts.join('; ')}.${nobody}`
}
