// Requests to the directory and their responses: accounts, configuration of a workspace, and all reads. The directory checks requests
// against these schemas when they arrive. Responses have types only.
import { type Static, Type } from 'typebox'
import type { KeyScope, Role } from '#shared/contracts/account.ts'
import { type AddressAnswers, addressAsks } from '#shared/contracts/ask/ask-addresses.ts'
import { type AuditAnswers, auditAsks } from '#shared/contracts/ask/ask-audit.ts'
import { type DestinationSecretAnswers, destinationSecretAsks } from '#shared/contracts/ask/ask-destination-secrets.ts'
import { type IncidentAnswers, incidentAsks } from '#shared/contracts/ask/ask-incidents.ts'
import { type NotificationAnswers, notificationAsks } from '#shared/contracts/ask/ask-notifications.ts'
import { type Caller, type LocationView, type PeopleAnswers, peopleAsks } from '#shared/contracts/ask/ask-people.ts'
import { type ProberAnswers, proberAsks } from '#shared/contracts/ask/ask-probers.ts'
import { type ResourceAnswers, resourceAsks } from '#shared/contracts/ask/ask-resources.ts'
import { type SubjectAnswers, subjectAsks } from '#shared/contracts/ask/ask-subjects.ts'
import { type TemplateAnswers, templateAsks } from '#shared/contracts/ask/ask-templates.ts'
import { Id, TokenHash } from '#shared/contracts/common.ts'
import { type ConditionAnswers, conditionAsks } from '#shared/contracts/incidents/condition.ts'
import { type MonitorAnswers, monitorAsks } from '#shared/contracts/subjects/monitor-state.ts'
import { type OverviewAnswers, overviewAsks } from '#shared/contracts/subjects/overview.ts'
import { type RosterAnswers, rosterAsks } from '#shared/contracts/subjects/roster.ts'

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
  ...rosterAsks,
  ...monitorAsks,
  ...conditionAsks,
  ...auditAsks,
  ...addressAsks,
  /** Returns the user of a key; null if the key is unknown, deleted or expired. */
  authenticate: Type.Object({ tokenHash: TokenHash }),
  /** Records the last use of keys: instant (ms) by key id. Returns null. */
  'touch-keys': Type.Object({ usedAt: Type.Record(Id, Type.Integer()) }),
  'list-workspaces': Type.Object({ userId: Id }),
  'list-locations': Type.Object({}),
  /** Returns the location of this name. Creates it if it does not exist. */
  'ensure-location': Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
  /**
   * Reserves a free slug made from `name` (`name`, `name-2`, …) for a subject id that is about to be created. `fallback` replaces a name
   * without a letter or digit. The same subject id gets the same slug again.
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
  /** First characters of the token, by which a person recognises the key. */
  keyPrefix: string
  /** Null: a full key. With a scope, `memberships` contains at most the workspace of the scope. */
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
    RosterAnswers,
    MonitorAnswers,
    ConditionAnswers,
    AuditAnswers,
    AddressAnswers {
  authenticate: Identity | null
  'touch-keys': null
  'list-workspaces': { id: string; name: string; role: Role }[]
  'list-locations': LocationView[]
  'ensure-location': LocationView
  'reserve-name': { slug: string }
}
