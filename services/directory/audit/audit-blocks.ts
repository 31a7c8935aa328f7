// Conversion of blocks of audit rows: from the block that a gateway sends to the stored document, and from the document to its rows. Pure.
import type { AuditBlock, AuditKind, AuditMade, AuditView } from '#shared/contracts/ask/ask-audit.ts'
import type { AuditBlockDocument, PackedKind, PackedRows } from '#shared/contracts/audit.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { UnreadableDocument } from '#shared/store/port.ts'
import { type AuditPlace, auditBlockId, compareAuditPlaces, parseAuditBlockId } from '#shared/text/audit-ids.ts'

/** An audit row with its position in the order of the workspace's rows. */
export interface PlacedRow extends AuditPlace {
  kind: PackedKind
  path: string
  made: AuditMade | null
}

/**
 * Returns the document that stores a block. Throws `validation` if the block's columns differ in length, or if a row refers to a kind of
 * row, or something made to a row, that the block does not list.
 */
export function blockDocument(block: AuditBlock): AuditBlockDocument {
  const { workspaceId, isObservation, gateway, firstAt, kinds, afterMs, numbers, kindOf, paths, made = [] } = block
  const isWhole = [numbers, kindOf, paths].every(({ length }) => length === afterMs.length)
  const isListed = kindOf.every(kind => kind < kinds.length) && made.every(({ row }) => row < paths.length)
  if (!isWhole || !isListed) throw new AppError('validation', 'Invalid block of audit rows')
  const { auditMs, auditObservationsMs } = limits.retention
  const newest = newestOf(afterMs.map((after, i) => ({ at: firstAt + after, number: numbers[i] as number, gateway })))
  const packed: PackedRows = [kinds.map(packedKind), afterMs, numbers, kindOf, paths]
  if (made.length > 0) packed[5] = made.map(({ row, kind, id, name }) => [row, kind, id, name])
  return {
    id: auditBlockId(workspaceId, newest),
    firstAt,
    data: JSON.stringify(packed),
    expireAt: newest.at + (isObservation ? auditObservationsMs : auditMs),
  }
}

/** Returns the rows of a document in the order in which their gateway recorded them. Throws `UnreadableDocument`. */
export function rowsOf({ id, firstAt, data }: AuditBlockDocument): PlacedRow[] {
  const { gateway } = parseAuditBlockId(id).newest
  try {
    const [kinds, afterMs, numbers, kindOf, paths, made = []] = JSON.parse(data) as PackedRows
    const madeBy = new Map(made.map(([row, kind, id, name]) => [row, { kind, id, name }]))
    return paths.map((path, i) => ({
      at: firstAt + (afterMs[i] as number),
      number: numbers[i] as number,
      gateway,
      kind: kinds[kindOf[i] as number] as PackedKind,
      path,
      made: madeBy.get(i) ?? null,
    }))
  } catch (error) {
    throw new UnreadableDocument('server_api_audit', id, error)
  }
}

export function viewOf(workspaceId: string | null, { at, kind, path, made }: PlacedRow): AuditView {
  const [personId, personName, keyId, keyPrefix, addressId, method, status, userAgent, destinationId] = kind
  return {
    at,
    workspaceId,
    person: personId === null ? null : { id: personId, name: personName ?? '' },
    key: keyId === null ? null : { id: keyId, prefix: keyPrefix ?? '' },
    address: addressId === null ? null : { id: addressId },
    destination: destinationId === undefined ? null : { id: destinationId },
    method,
    path,
    status,
    userAgent,
    made,
  }
}

const packedKind = (kind: AuditKind): PackedKind => {
  const { personId, personName, keyId, keyPrefix, addressId, method, status, userAgent, destinationId } = kind
  const packed = [personId, personName, keyId, keyPrefix, addressId, method, status, userAgent] as const
  return destinationId === undefined ? [...packed] : [...packed, destinationId]
}

const newestOf = (places: readonly AuditPlace[]): AuditPlace =>
  places.reduce((newest, place) => (compareAuditPlaces(place, newest) > 0 ? place : newest))
