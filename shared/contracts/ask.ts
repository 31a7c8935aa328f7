// Questions to the directory and what it answers: accounts, configuration of a workspace, and every read.
// Requests are validated at the edge; the answers are the directory's own.
import { type Static, Type } from 'typebox'
import type { KeyScope, Role } from '#shared/contracts/account.ts'
import { type AddressAnswers, addressAsks } from '#shared/contracts/ask-addresses.ts'
import { type AuditAnswers, auditAsks } from '#shared/contracts/ask-audit.ts'
import { type DestinationSecretAnswers, destinationSecretAsks } from '#shared/contracts/ask-destination-secrets.ts'
import { type IncidentAnswers, incidentAsks } from '#shared/contracts/ask-incidents.ts'
import { type NotificationAnswers, notificationAsks } from '#shared/contracts/ask-notifications.ts'
import { type Caller, type LocationView, type PeopleAnswers, peopleAsks } from '#shared/contracts/ask-people.ts'
import { type ProberAnswers, proberAsks } from '#shared/contracts/ask-probers.ts'
import { type ResourceAnswers, resourceAsks } from '#shared/contracts/ask-resources.ts'
import { type SubjectAnswers, subjectAsks } from '#shared/contracts/ask-subjects.ts'
import { type TemplateAnswers, templateAsks } from '#shared/contracts/ask-templates.ts'
import { Id, TokenHash } from '#shared/contracts/common.ts'
import { type OverviewAnswers, overviewAsks } from '#shared/contracts/overview.ts'

export const asks = {
  ...subjectAsks,
  ...notificationAsks,
  ...destinationSecretAsks,
  ...peopleAsks,
  ...proberAsks,
  ...templateAsks,
  ...resourceAsks,
  ...incidentAsks,
  ...overviewAsks,
  ...auditAsks,
  ...addressAsks,
  /** Whose key is it? Null when unknown, deleted or expired. */
  authenticate: Type.Object({ tokenHash: TokenHash }),
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
} as const

export type AskVerb = keyof typeof asks
export type AskRequest<V extends AskVerb> = Static<(typeof asks)[V]>

export interface Identity extends Caller {
  keyId: string
  /** The first characters of the token, by which a person recognises the key. */
  keyPrefix: string
  /** Null: a full key. Of a scoped key `memberships` holds its one workspace at most. */
  scope: KeyScope | null
}

export interface AskResults
  extends SubjectAnswers,
    NotificationAnswers,
    DestinationSecretAnswers,
    PeopleAnswers,
    ProberAnswers,
    TemplateAnswers,
    ResourceAnswers,
    IncidentAnswers,
    OverviewAnswers,
    AuditAnswers,
    AddressAnswers {
  authenticate: Identity | null
  'touch-keys': null
  'list-workspaces': { id: string; name: string; role: Role }[]
  'list-locations': LocationView[]
  'ensure-location': LocationView
  'reserve-name': { slug: string }
}
