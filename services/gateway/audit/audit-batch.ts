// Audit rows that are written together. Rows of one workspace whose instants are close together form one block, which is stored column by
// column. The store keeps a block as one document, whatever the number of its rows.
import type { AuditBlock, AuditKind } from '#shared/contracts/ask/ask-audit.ts'
import { limits } from '#shared/limits/limits.ts'
import type { AuditRow } from './audit-row.ts'

const { blockMs, kindsCompared } = limits.audit

export interface AuditBatch {
  readonly blocks: AuditBlock[]
  rows(): number
  /** Approximate number of characters in the batch. A value that several rows of a block share is counted once. */
  characters(): number
  /** Adds a row. `number` orders rows of the same instant (`AuditPlace`). */
  add(row: AuditRow, number: number): void
}

export function createAuditBatch(gateway: string): AuditBatch {
  const blocks: AuditBlock[] = []
  /** For each workspace, the latest block of rows about requests that report Observations. */
  const ofObservations = new Map<string | null, AuditBlock>()
  const ofOthers = new Map<string | null, AuditBlock>()
  let rows = 0
  let characters = 0

  const blockFor = ({ at, workspaceId, isObservation }: AuditRow): AuditBlock => {
    const latest = isObservation ? ofObservations : ofOthers
    const open = latest.get(workspaceId)
    // A new block starts when the latest block is older than `blockMs`, and also if the clock was set back.
    if (open !== undefined && at >= open.firstAt && at - open.firstAt <= blockMs) return open
    const columns = { kinds: [], afterMs: [], numbers: [], kindOf: [], paths: [] }
    const block: AuditBlock = { workspaceId, isObservation, gateway, firstAt: at, ...columns }
    latest.set(workspaceId, block)
    blocks.push(block)
    return block
  }
  const placeOfKind = ({ kinds }: AuditBlock, row: AuditRow): number => {
    const oldest = Math.max(0, kinds.length - kindsCompared)
    for (let i = kinds.length - 1; i >= oldest; i--) if (isSameKind(kinds[i] as AuditKind, row)) return i
    const kind = kindOf(row)
    characters += (kind.personName?.length ?? 0) + (kind.userAgent?.length ?? 0) + kindCharacters
    return kinds.push(kind) - 1
  }
  return {
    blocks,
    rows: () => rows,
    characters: () => characters,
    add: (row, number) => {
      const block = blockFor(row)
      block.kindOf.push(placeOfKind(block, row))
      block.afterMs.push(row.at - block.firstAt)
      block.numbers.push(number)
      const place = block.paths.push(row.path) - 1
      rows += 1
      characters += row.path.length
      if (row.made === null) return
      block.made ??= []
      block.made.push({ row: place, ...row.made })
      characters += row.made.id.length + row.made.name.length
    },
  }
}

/**
 * Approximate number of characters that a new entry of `kinds` adds to the block. The person's name and the user agent are not included.
 */
const kindCharacters = 400

const kindOf = (row: AuditRow): AuditKind => {
  const { personId, personName, keyId, keyPrefix, addressId, destinationId, method, status, userAgent } = row
  const shared = { personId, personName, keyId, keyPrefix, addressId, method, status, userAgent }
  return destinationId === undefined ? shared : { ...shared, destinationId }
}

const isSameKind = (one: AuditKind, other: AuditKind): boolean =>
  one.status === other.status &&
  one.method === other.method &&
  one.keyId === other.keyId &&
  one.addressId === other.addressId &&
  one.destinationId === other.destinationId &&
  one.personId === other.personId &&
  one.userAgent === other.userAgent &&
  one.personName === other.personName &&
  one.keyPrefix === other.keyPrefix
