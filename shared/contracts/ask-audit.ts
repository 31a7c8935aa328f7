// Questions about the audit (docs/reference/v3.md, 11.3 to 11.5): gateways record rows, owners and the command line read them.
import { type Static, Type } from 'typebox'
import { Id, Instant, Nullable } from '#shared/contracts/common.ts'
import { After, type Page } from '#shared/contracts/page.ts'

/** One request that was let in. Bounds: `limits.audit`. */
const AuditRow = Type.Object({
  at: Instant,
  /** Tells rows of one instant apart, in the order in which their gateway made them. */
  order: Type.String({ pattern: '^[0-9A-Za-z]{9}$' }),
  /** Null: the path names none, or the caller is no member of it. */
  workspaceId: Nullable(Id),
  personId: Nullable(Id),
  personName: Nullable(Type.String({ maxLength: 400 })),
  keyId: Nullable(Id),
  keyPrefix: Nullable(Type.String({ maxLength: 20 })),
  addressId: Nullable(Id),
  method: Type.String({ maxLength: 20 }),
  path: Type.String({ maxLength: 500 }),
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  userAgent: Nullable(Type.String({ maxLength: 200 })),
  /** Rows of Observations leave earlier. */
  isObservation: Type.Boolean(),
})
export type AuditRow = Static<typeof AuditRow>

export const auditAsks = {
  /** Stores rows. A retry stores nothing twice. Returns null. */
  'record-audit': Type.Object({ rows: Type.Array(AuditRow, { maxItems: 500 }) }),
  /**
   * A page of the rows of a workspace, or of those without one, newest first. `since` is inclusive, `until` exclusive, both ms. `path` is
   * a prefix of what follows the workspace. One answer looks at a bounded number of rows: a page may be short, or empty, and have a `next`.
   */
  'list-audit': Type.Object({
    workspaceId: Nullable(Id),
    personId: Nullable(Id),
    path: Nullable(Type.String({ maxLength: 500 })),
    since: Nullable(Type.Integer()),
    until: Nullable(Type.Integer()),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    after: After,
  }),
  /** A page of the workspaces that rows name, deleted ones too, by id. Null stands for rows without a workspace. */
  'list-audited-workspaces': Type.Object({ after: After }),
} as const

export interface AuditView {
  at: number
  person: { id: string; name: string } | null
  key: { id: string; prefix: string } | null
  address: { id: string } | null
  workspaceId: string | null
  method: string
  path: string
  status: number
  userAgent: string | null
}

export interface AuditAnswers {
  'record-audit': null
  'list-audit': Page<AuditView>
  'list-audited-workspaces': Page<string | null>
}
