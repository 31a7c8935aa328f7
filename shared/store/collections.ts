// The collections: their documents, columns and indexes, and for each the only service that writes it.
import type {
  AddressDocument,
  ExternalIdentityDocument,
  InvitationDocument,
  KeyDocument,
  LocationDocument,
  MembershipDocument,
  NameDocument,
  PingDocument,
  PingKeyDocument,
  ProberCredentialDocument,
  SessionDocument,
  SignInTriesDocument,
  UserDocument,
  WorkspaceDocument,
} from '#shared/contracts/account.ts'
import type { AuditBlockDocument } from '#shared/contracts/audit.ts'
import type { Stored } from '#shared/contracts/common.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { ResponseDocument } from '#shared/contracts/incidents/response.ts'
import type { DeliveryDocument, DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type {
  DeliveryTableDocument,
  DestinationDocument,
  TransformationDocument,
} from '#shared/contracts/notifications/destination.ts'
import type { CheckpointDocument, CheckpointPartDocument } from '#shared/contracts/observations/checkpoint.ts'
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { PingBodyDocument } from '#shared/contracts/observations/ping.ts'
import type { RollUpDocument, RollUpProgressDocument } from '#shared/contracts/observations/roll-up.ts'
import type { TemplateDocument } from '#shared/contracts/resources/template.ts'
import type { PolicyDocument } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument, SubjectTagDocument } from '#shared/contracts/subjects/subject.ts'
import type { CollectionSpec } from '#shared/store/collection-spec.ts'
import { incidentCollections } from '#shared/store/incident-collections.ts'
import { notificationCollections } from '#shared/store/notification-collections.ts'
import { peopleCollections } from '#shared/store/people-collections.ts'
import { reportCollections } from '#shared/store/report-collections.ts'
import { rollUpCollections } from '#shared/store/roll-up-collections.ts'

/** A dead letter: an input that could not be judged, or a document that the store does not accept, with the reason. */
export interface DeadLetterDocument extends Stored {
  subjectId: string
  partition: number
  at: number
  reason: string
  input: string
  expireAt: number
}

/** Counter of numbered objects, such as destinations or rows of the delivery log. Its id is the name of the counter. */
export interface CounterDocument extends Stored {
  next: number
}

/** One value of the installation, such as the salt of incident ids or the instant of the first start. */
export interface SettingDocument extends Stored {
  value: string
}

export interface Collections {
  subjects: SubjectDocument
  subjectTags: SubjectTagDocument
  observations: CheckObservationDocument
  pushedObservations: PushedObservationDocument
  observationIds: ObservationIdDocument
  series: SeriesDocument
  policies: PolicyDocument
  windows: WindowDocument
  responses: ResponseDocument
  pingBodies: PingBodyDocument
  incidents: IncidentDocument
  history: HistoryDocument
  alerts: AlertDocument
  checkpoints: CheckpointDocument
  checkpointParts: CheckpointPartDocument
  rollUps: RollUpDocument
  rollUpProgress: RollUpProgressDocument
  deadLetters: DeadLetterDocument
  users: UserDocument
  workspaces: WorkspaceDocument
  memberships: MembershipDocument
  invitations: InvitationDocument
  sessions: SessionDocument
  externalIdentities: ExternalIdentityDocument
  signInTries: SignInTriesDocument
  keys: KeyDocument
  addresses: AddressDocument
  pings: PingDocument
  pingKeys: PingKeyDocument
  locations: LocationDocument
  proberCredentials: ProberCredentialDocument
  names: NameDocument
  destinations: DestinationDocument
  transformations: TransformationDocument
  templates: TemplateDocument
  deliveryTables: DeliveryTableDocument
  deliveries: DeliveryDocument
  deliveryLog: DeliveryLogDocument
  conditions: ConditionDocument
  counters: CounterDocument
  settings: SettingDocument
  server_api_audit: AuditBlockDocument
}

export type CollectionName = keyof Collections

export const collections: Record<CollectionName, CollectionSpec> = {
  subjects: {
    writer: 'keeper',
    columns: {
      partition: 'integer',
      workspaceId: 'text',
      slug: 'text',
      name: 'text',
      kind: 'text',
      template: 'text',
      createdAt: 'integer',
      archivedAt: 'integer',
      deletedAt: 'integer',
      dueAt: 'integer',
      hasOutbox: 'integer',
      checkRev: 'integer',
      checkLocations: 'text',
    },
    indexes: [
      { name: 'byDue', fields: ['partition', 'dueAt', 'id'] },
      { name: 'ofPartition', fields: ['partition', 'id'] },
      { name: 'byOutbox', fields: ['hasOutbox', 'partition'] },
      { name: 'byWorkspace', fields: ['workspaceId', 'id'] },
      { name: 'byCreation', fields: ['workspaceId', 'createdAt', 'id'] },
      { name: 'bySlug', fields: ['slug', 'workspaceId'] },
      { name: 'byPresence', fields: ['deletedAt', 'id'] },
    ],
  },
  subjectTags: { writer: 'keeper', columns: { gone: 'integer' }, indexes: [], expires: true },
  observations: {
    writer: 'keeper',
    compact: true,
    columns: {
      ok: 'integer',
      delayMs: 'integer',
      dnsMs: 'integer',
      connectMs: 'integer',
      tlsMs: 'integer',
      firstByteMs: 'integer',
      totalMs: 'integer',
      statusCode: 'integer',
      error: 'text',
    },
    indexes: [],
  },
  ...reportCollections,
  policies: {
    writer: 'keeper',
    columns: { subjectId: 'text', ruleKey: 'text', version: 'integer' },
    indexes: [{ name: 'byRule', fields: ['subjectId', 'ruleKey', 'version'] }],
  },
  windows: {
    writer: 'keeper',
    columns: { subjectId: 'text', startedAt: 'integer' },
    indexes: [{ name: 'bySubject', fields: ['subjectId', 'startedAt'] }],
  },
  ...incidentCollections,
  checkpoints: { writer: 'keeper', columns: {}, indexes: [] },
  checkpointParts: { writer: 'keeper', columns: {}, indexes: [] },
  ...rollUpCollections,
  deadLetters: {
    writer: 'keeper',
    columns: { subjectId: 'text', at: 'integer' },
    indexes: [
      { name: 'bySubject', fields: ['subjectId', 'at'] },
      { name: 'byInstant', fields: ['at'] },
    ],
    expires: true,
  },
  ...peopleCollections,
  names: {
    writer: 'directory',
    columns: { subjectId: 'text', workspaceId: 'text' },
    indexes: [{ name: 'bySubject', fields: ['subjectId'] }],
  },
  ...notificationCollections,
  templates: {
    writer: 'directory',
    columns: { workspaceId: 'text', key: 'text', version: 'integer', bytes: 'integer' },
    indexes: [{ name: 'byVersion', fields: ['workspaceId', 'key', 'version'], unique: true }],
  },
  counters: { writer: 'directory', columns: {}, indexes: [] },
  settings: { writer: 'directory', columns: {}, indexes: [] },
  server_api_audit: {
    writer: 'directory',
    compact: true,
    columns: { firstAt: 'integer', data: 'text' },
    indexes: [],
    expires: true,
  },
}
