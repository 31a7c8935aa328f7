// Stored rows of the audit. A row has the sender of a request, the request, and its status. A block contains many rows. Reference:
// docs/reference/v3.md, 11.3 to 11.5.

import type { AuditMade } from './ask/ask-audit.ts'

/**
 * One block of audit rows. id: `auditBlockId(workspace, place of the block's newest row)`. A stored block is never replaced, so a block
 * that is sent again changes nothing.
 */
export interface AuditBlockDocument {
  id: string
  /** Lower bound of the rows' instants, ms since the epoch. No row is later than `limits.audit.blockMs` after this bound. */
  firstAt: number
  /** Rows of the block, `PackedRows` as JSON. */
  data: string
  /** ms */
  expireAt: number
}

/**
 * Rows as columns, one entry for each row. Only `kinds` has fewer entries than there are rows: the entry of a row in `kindOf` is an index
 * in `kinds`.
 */
export type PackedRows = [
  kinds: PackedKind[],
  afterMs: number[],
  numbers: number[],
  kindOf: number[],
  paths: string[],
  /** What requests made. Absent in blocks in which nothing was made, and in older ones. */
  made?: PackedMade[],
]

/** What the request of a row made. `row`: index of the row. */
export type PackedMade = [row: number, kind: AuditMade['kind'], id: string, name: string]

/** Values that many rows of a block share, in the order of the fields of `AuditKind`. */
export type PackedKind = [
  personId: string | null,
  personName: string | null,
  keyId: string | null,
  keyPrefix: string | null,
  addressId: string | null,
  method: string,
  status: number,
  userAgent: string | null,
  /** Absent in most rows, and in older ones. */
  destinationId?: string,
]
