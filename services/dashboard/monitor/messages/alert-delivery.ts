// The table of alert delivery of a monitor: every row names a destination and the kinds of messages that it gets (reference/messages 4).
// This file reads and writes the table, and describes the table in words.
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
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
  /** Absent: not known. */
  default?: boolean
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
export const tableOf = (kind: string, id: string, key: string): string =>
  isChecked(kind) ? `/monitoring/websites/${encodeURIComponent(id)}/delivery` : `/subjects/${encodeURIComponent(key)}/delivery`

interface Table {
  selections: readonly (Row & { destination_name: string })[]
}

/**
 * Reads the table. Generation 2 lists all destinations only for editors, because the list contains URLs. So viewers see only the
 * destinations that the rows name.
 */
export async function readAlertDelivery(table: string, mayChange: boolean): Promise<AlertDelivery> {
  const [{ selections }, known, usual] = await Promise.all([
    askV2<Table>('GET', table),
    mayChange ? askV2<Destination[]>('GET', '/notifications/destinations') : null,
    readUsual(),
  ])
  const named = selections.map(({ destination_id: id, destination_name: name }) => ({ id, name, enabled: true }))
  const rows = selections.map(({ destination_id, alert_kinds }) => ({ destination_id, alert_kinds }))
  return { destinations: known ?? named, rows, usual: usual.name }
}

/**
 * Returns the rows that the table shows: without rows of its own the default destination gets all messages. Without a default, and for
 * viewers, who do not see all destinations, nothing more than the rows.
 */
export function shownRows(rows: readonly Row[], destinations: readonly Destination[]): readonly Row[] {
  const usual = destinations.find(one => one.default === true)
  return rows.length > 0 || usual === undefined ? rows : [{ destination_id: usual.id, alert_kinds: kinds }]
}

/** Returns the rows to store for shown rows: none if they are what the default destination gets anyway. */
export function storedRows(shown: readonly Row[], destinations: readonly Destination[]): readonly Row[] {
  return JSON.stringify(shown) === JSON.stringify(shownRows([], destinations)) ? [] : shown
}

/** Replaces all rows of the table. If `rows` is empty, the workspace's default destination gets the messages. Rejects with a Refusal. */
export const saveRows = (table: string, rows: readonly Row[]): Promise<unknown> =>
  rows.length === 0 ? askV2('DELETE', table) : askV2('POST', table, { selections: rows })

/** Reads the name of the workspace's default destination; `name` null: the workspace has none. */
export async function readUsual(): Promise<{ name: string | null }> {
  const path = `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/destinations`
  const all = await askV3<readonly { name: string; default: boolean }[]>('GET', path)
  return { name: all.find(one => one.default)?.name ?? null }
}

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
