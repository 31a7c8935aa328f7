// Ids of the audit: places of rows, and ids of blocks of rows. Both sort as texts in the order of their instants. Pure.
import { fromBase62, toBase62 } from '#shared/text/ids.ts'

/** Place of a row among the rows of its workspace. */
export interface AuditPlace {
  /** Instant of the row, ms since the epoch. */
  at: number
  /** Orders rows of the same instant. A gateway counts from 0 to `auditNumbers` - 1, then starts again. */
  number: number
  /** Name of the gateway, which distinguishes rows of several gateways. */
  gateway: string
}

const instantDigits = 8
const numberDigits = 3
/** Number of characters of a gateway's name. */
export const gatewayDigits = 6

/** Number of different values of `number`. No gateway has so many rows in one millisecond. */
export const auditNumbers = 62 ** numberDigits

/** Returns a negative number if `one` is older than `other`, 0 if they are equal. */
export function compareAuditPlaces(one: AuditPlace, other: AuditPlace): number {
  if (one.at !== other.at) return one.at - other.at
  if (one.number !== other.number) return one.number - other.number
  if (one.gateway === other.gateway) return 0
  return one.gateway < other.gateway ? -1 : 1
}

/** Returns a place as 17 characters of base 62. */
export const auditPlaceText = ({ at, number, gateway }: AuditPlace): string =>
  instantText(at) + toBase62(number, numberDigits) + gateway

/** Returns the place that `auditPlaceText` has written; null for any other text. */
export const readAuditPlace = (text: string): AuditPlace | null => (placeForm.test(text) ? placeIn(text) : null)

/** Returns the id of a block: its workspace (null: rows without one) and the place of its newest row. */
export const auditBlockId = (workspaceId: string | null, newest: AuditPlace): string =>
  auditPrefix(workspaceId) + auditPlaceText(newest)

/** Returns the workspace of a block and the place of its newest row. */
export function parseAuditBlockId(id: string): { workspaceId: string | null; newest: AuditPlace } {
  const [workspaceId = '', place = ''] = id.split('/', 2)
  return { workspaceId: workspaceId === '' ? null : workspaceId, newest: placeIn(place) }
}

/** Returns the lower bound of the ids of blocks whose newest row is at `at` (ms) or later. All older blocks have smaller ids. */
export const auditBound = (workspaceId: string | null, at: number): string => auditPrefix(workspaceId) + instantText(at)

/** Returns the prefix of the ids of all blocks of a workspace. */
export const auditPrefix = (workspaceId: string | null): string => `${workspaceId ?? ''}/`

const instantText = (at: number): string => toBase62(Math.min(Math.max(0, at), 62 ** instantDigits - 1), instantDigits)

const placeForm = new RegExp(`^[0-9A-Za-z]{${instantDigits + numberDigits + gatewayDigits}}$`)

const placeIn = (text: string): AuditPlace => ({
  at: fromBase62(text.slice(0, instantDigits)),
  number: fromBase62(text.slice(instantDigits, instantDigits + numberDigits)),
  gateway: text.slice(instantDigits + numberDigits),
})
