// Questions to the directory and what it answers: accounts, configuration of a workspace, and every read.
// Requests are validated at the edge; the answers are the directory's own.
import { type Static, Type } from 'typebox'
import type { Role } from '#shared/contracts/account.ts'
import type { SubjectView } from '#shared/contracts/command.ts'
import { Id } from '#shared/contracts/common.ts'
import type { IncidentStatus } from '#shared/contracts/incident.ts'

const After = Type.Optional(Type.Union([Type.String(), Type.Null()]))

export const asks = {
  /** Whose key is it? Null when unknown, deleted or expired. */
  authenticate: Type.Object({ tokenHash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  /** Records that keys were used: key id to instant (ms). Answers null. */
  'touch-keys': Type.Object({ usedAt: Type.Record(Id, Type.Integer()) }),
  'list-workspaces': Type.Object({ userId: Id }),
  'list-locations': Type.Object({}),
  /** Makes sure that a location of this name exists. */
  'ensure-location': Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
  /**
   * Reserves a free slug made from `name` for a subject id that is about to be created: `name`, `name-2`, …
   * `fallback` serves names without a letter or digit. The same subject id gets the same slug again.
   */
  'reserve-name': Type.Object({
    workspaceId: Id,
    name: Type.String({ maxLength: 400 }),
    subjectId: Id,
    fallback: Type.String({ minLength: 1, maxLength: 40 }),
  }),
  /** Null where there is none, or a tombstone. */
  'get-subject': Type.Object({ subjectId: Id }),
  /** A page of the workspace's website monitors by creation. */
  'list-websites': Type.Object({ workspaceId: Id, after: After }),
  /** A page of open incidents, newest trouble first. */
  'list-open-incidents': Type.Object({ workspaceId: Id, subjectId: Type.Optional(Type.Union([Id, Type.Null()])), after: After }),
  'create-destination': Type.Object({
    /** Made once per HTTP request, so that a repeated try finds what the first one wrote. */
    id: Type.Optional(Id),
    workspaceId: Id,
    name: Type.String(),
    type: Type.Enum(['slack', 'webhook']),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: Type.Union([Type.Integer(), Type.Null()]),
  }),
  'list-destinations': Type.Object({ workspaceId: Id }),
  'create-key': Type.Object({ username: Type.Optional(Type.String()), description: Type.String({ maxLength: 200 }) }),
  'list-keys': Type.Object({}),
  'delete-key': Type.Object({ keyId: Id }),
} as const

export type AskVerb = keyof typeof asks
export type AskRequest<V extends AskVerb> = Static<(typeof asks)[V]>

export interface Identity {
  keyId: string
  userId: string
  displayName: string
  admin: boolean
  disabled: boolean
  /** ms since the epoch. */
  expiresAt: number
  memberships: { workspaceId: string; role: Role }[]
}

export interface LocationView {
  id: string
  name: string
  displayName: string | null
  activeWorkers: number
}

export interface OpenIncidentView {
  id: string
  subjectId: string
  subjectName: string
  subjectKind: 'website' | 'custom'
  number: number
  status: IncidentStatus
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  /** Location ids. */
  failing: string[]
  unknown: string[]
  ok: string[]
}

export interface DestinationView {
  number: number
  name: string
  type: 'slack' | 'webhook'
  channel: string
  url: string
  enabled: boolean
  default: boolean
  transformationId: number | null
  workspaceId: string
  createdAt: number
  updatedAt: number
}

export interface KeyView {
  id: string
  prefix: string
  description: string
  username: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
}

/** A page of at most 512 KiB; `next` is handed back as `after`, null on the last page. */
export interface Page<T> {
  items: T[]
  next: string | null
}

export interface AskResults {
  authenticate: Identity | null
  'touch-keys': null
  'list-workspaces': { id: string; name: string; role: Role }[]
  'list-locations': LocationView[]
  'ensure-location': LocationView
  'reserve-name': { slug: string }
  'get-subject': SubjectView | null
  'list-websites': Page<SubjectView>
  'list-open-incidents': Page<OpenIncidentView>
  'create-destination': DestinationView
  'list-destinations': DestinationView[]
  /** The token is in this answer and nowhere else. */
  'create-key': KeyView & { token: string }
  'list-keys': KeyView[]
  'delete-key': { id: string }
}
