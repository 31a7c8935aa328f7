// Stored rows of the audit, many in a block: the sender of a request, the request, and its status. Rules: docs/reference/v3.md, 11.3 to
// 11.5.

/** id: `auditBlockId(workspace, place of its newest row)`. Never replaced: a block that is sent again changes nothing. */
export interface AuditBlockDocument {
  id: string
  /** Ms since the epoch. Lower bound of the rows' instants; all lie within `limits.audit.blockMs` after it. */
  firstAt: number
  /** The rows as JSON: `PackedRows`. */
  data: string
  /** ms */
  expireAt: number
}

/** Rows as columns. All lists have the same length, except `kinds`; `kindOf` has indexes in `kinds`. */
export type PackedRows = [kinds: PackedKind[], afterMs: number[], numbers: number[], kindOf: number[], paths: string[]]

/** Fields that are equal in many rows of a block, in the order of `AuditKind`. */
export type PackedKind = [
  personId: string | null,
  personName: string | null,
  keyId: string | null,
  keyPrefix: string | null,
  addressId: string | null,
  method: string,
  status: number,
  userAgent: string | null,
]
