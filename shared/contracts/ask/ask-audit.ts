// Requests about the audit (docs/reference/v3.md, 11.3 to 11.5). Gateways record rows; owners and the command line read rows.
import { type Static, Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Instant, Nullable } from '#shared/contracts/common.ts'

/** Fields that have the same values in many rows. A block stores each combination of these values once. */
const AuditKind = Type.Object({
  personId: Nullable(Id),
  /** Name of the person at the time of the request. */
  personName: Nullable(Type.String({ maxLength: 400 })),
  keyId: Nullable(Id),
  keyPrefix: Nullable(Type.String({ maxLength: 20 })),
  addressId: Nullable(Id),
  /** Destination of the acknowledge link that authorised the request; absent: none did. */
  destinationId: Type.Optional(Id),
  method: Type.String({ maxLength: 20 }),
  /** HTTP status of the response. */
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  userAgent: Nullable(Type.String({ maxLength: 200 })),
})
export type AuditKind = Static<typeof AuditKind>

const rows = { minItems: 1, maxItems: 500 }

/** Object that a request made. `id` and `name` are as the response shows them; `name` may be empty. Never a secret. */
export const AuditMade = Type.Object({
  kind: Type.Enum([
    ...([
      'workspace',
      'member',
      'invitation',
      'user',
      'key',
      'template',
      'resource',
      'custom_subject',
      'signal',
      'rule',
    ] as const),
    ...(['destination', 'transformation', 'address', 'ping_key', 'location', 'prober_credential'] as const),
  ]),
  id: Type.String({ minLength: 1, maxLength: 200 }),
  name: Type.String({ maxLength: 200 }),
})
export type AuditMade = Static<typeof AuditMade>

/** Audit rows of one workspace at one gateway, stored as columns. Bounds: `limits.audit`. */
const AuditBlock = Type.Object({
  /** Id of the workspace. Null: the paths of the requests name no workspace, or the callers are not members of the named workspace. */
  workspaceId: Nullable(Id),
  /** True: the requests are reports of Observations. Rows of such requests expire earlier. */
  isObservation: Type.Boolean(),
  gateway: Type.String({ pattern: '^[0-9A-Za-z]{6}$' }),
  /** Instant of the first response in the block. */
  firstAt: Instant,
  kinds: Type.Array(AuditKind, rows),
  /** For each row, the milliseconds from `firstAt` to the response. */
  afterMs: Type.Array(Type.Integer({ minimum: 0, maximum: 1_000 }), rows),
  /** For each row, the number that orders rows of the same instant (`AuditPlace`). */
  numbers: Type.Array(Type.Integer({ minimum: 0, maximum: 62 ** 3 - 1 }), rows),
  /** For each row, the index of its entry in `kinds`. */
  kindOf: Type.Array(Type.Integer({ minimum: 0, maximum: 499 }), rows),
  /** Paths without queries and tokens. */
  paths: Type.Array(Type.String({ maxLength: 500 }), rows),
  /** What requests made, with the index of the row of each. Absent: no request of the block made anything. */
  made: Type.Optional(
    Type.Array(Type.Object({ row: Type.Integer({ minimum: 0, maximum: 499 }), ...AuditMade.properties }), rows),
  ),
})
export type AuditBlock = Static<typeof AuditBlock>

export const auditAsks = {
  /** Stores blocks of rows. A retry with the same blocks stores no row twice. Returns null. */
  'record-audit': ask<null>()({ blocks: Type.Array(AuditBlock, { maxItems: 500 }) }),
  /**
   * A page of the rows of a workspace, or of the rows without a workspace, newest first. `since` is inclusive and `until` exclusive, both
   * in ms. `path`: selects rows whose path continues with this text after the workspace. One request reads only a bounded
   * number of rows, so a page may be short or empty although it has a `next`.
   */
  'list-audit': ask<Page<AuditView>>()({
    workspaceId: Nullable(Id),
    personId: Nullable(Id),
    path: Nullable(Type.String({ maxLength: 500 })),
    since: Nullable(Type.Integer()),
    until: Nullable(Type.Integer()),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    after: After,
  }),
  /**
   * A page of the ids of all workspaces that have audit rows, sorted. Deleted workspaces are included. Null stands for rows without a
   * workspace.
   */
  'list-audited-workspaces': ask<Page<string | null>>()({ after: After }),
} as const

export interface AuditView {
  at: number
  person: { id: string; name: string } | null
  key: { id: string; prefix: string } | null
  address: { id: string } | null
  destination: { id: string } | null
  workspaceId: string | null
  method: string
  path: string
  status: number
  userAgent: string | null
  /** Null also for rows that were stored before rows said what was made. */
  made: AuditMade | null
}
