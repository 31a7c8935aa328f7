// A row of the audit as it is stored: who sent which request, and how it ended. Rules: docs/reference/v3.md, 11.3 to 11.5.

/** id: `auditId(workspace, instant, order)`. Never replaced: the same row sent again is the row that is stored. */
export interface AuditDocument {
  id: string
  personId: string | null
  /** As the person was called then. */
  personName: string | null
  keyId: string | null
  keyPrefix: string | null
  addressId: string | null
  method: string
  /** Without its query and without tokens. */
  path: string
  /** HTTP status of the response. */
  status: number
  userAgent: string | null
  /** ms */
  expireAt: number
}
