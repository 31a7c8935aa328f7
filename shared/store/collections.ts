// The collections: what is stored, which fields are columns, which indexes exist, and who alone writes each.
import type {
  AddressDocument,
  ExternalIdentityDocument,
  KeyDocument,
  LocationDocument,
  MembershipDocument,
  NameDocument,
  SessionDocument,
  SignInTriesDocument,
  UserDocument,
  WorkspaceDocument,
} from '#shared/contracts/account.ts'
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { AuditDocument } from '#shared/contracts/audit.ts'
import type { Stored } from '#shared/contracts/common.ts'
import type { ConditionDocument } from '#shared/contracts/condition.ts'
import type { DeliveryDocument, DeliveryLogDocument } from '#shared/contracts/delivery.ts'
import type { DeliveryTableDocument } from '#shared/contracts/delivery-table.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import type { Freshness } from '#shared/contracts/freshness.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import type { WindowDocument } from '#shared/contracts/maintenance.ts'
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observation.ts'
import type { PolicyDocument } from '#shared/contracts/policy.ts'
import type { ProberCredentialDocument } from '#shared/contracts/prober-credential.ts'
import type { RollUpDocument, RollUpProgressDocument } from '#shared/contracts/roll-up.ts'
import type { SilenceNotes } from '#shared/contracts/silence.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { SubjectTagDocument } from '#shared/contracts/subject-tag.ts'
import type { TemplateDocument } from '#shared/contracts/template.ts'
import type { TransformationDocument } from '#shared/contracts/transformation.ts'
import type { CollectionSpec } from '#shared/store/collection-spec.ts'
import { notificationCollections } from '#shared/store/notification-collections.ts'
import { peopleCollections } from '#shared/store/people-collections.ts'
import { reportCollections } from '#shared/store/report-collections.ts'
import { rollUpCollections } from '#shared/store/roll-up-collections.ts'

/** How far a partition's holder has come in the stream. id is the partition's key. */
export interface CheckpointDocument extends Stored {
  streamCreatedAt: string
  sequence: number
  /** Stream time of that message, ms; a stream that is another or shorter is re-read from this time less a minute. */
  messageAt: number
  /** Times that the stream no longer had what was to be read next. */
  gaps: number
  writtenAt: number
  /** Of the partition's subjects whose documents are less fresh; absent from those of earlier versions. */
  freshness?: readonly Freshness[]
  /** How it stands with those who report; for a successor whom the lease tells nothing. */
  silence?: SilenceNotes
  /** Who wrote this revision, so that an unknown outcome is settled by asking again. */
  writer?: string
}

/** An input that could not be judged or a document the store would not take: kept with its reason. */
export interface SetAsideDocument extends Stored {
  subjectId: string
  partition: number
  at: number
  reason: string
  input: string
  expireAt: number
}

/** A running number (of destinations, of delivery log rows). id names it. */
export interface CounterDocument extends Stored {
  next: number
}

/** One value of the installation (the salt of incident ids, when the first start was). */
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
  incidents: IncidentDocument
  history: HistoryDocument
  alerts: AlertDocument
  checkpoints: CheckpointDocument
  rollUps: RollUpDocument
  rollUpProgress: RollUpProgressDocument
  setAside: SetAsideDocument
  users: UserDocument
  workspaces: WorkspaceDocument
  memberships: MembershipDocument
  sessions: SessionDocument
  externalIdentities: ExternalIdentityDocument
  signInTries: SignInTriesDocument
  keys: KeyDocument
  addresses: AddressDocument
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
  server_api_audit: AuditDocument
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
      hasPending: 'integer',
      checkRev: 'integer',
      checkLocations: 'text',
    },
    indexes: [
      { name: 'byPartitionAndDue', fields: ['partition', 'dueAt'] },
      { name: 'byPending', fields: ['hasPending', 'partition'] },
      { name: 'byWorkspace', fields: ['workspaceId', 'id'] },
      { name: 'byCreation', fields: ['workspaceId', 'createdAt', 'id'] },
      { name: 'bySlug', fields: ['slug', 'workspaceId'] },
      { name: 'byDeletion', fields: ['deletedAt'] },
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
  incidents: {
    writer: 'keeper',
    columns: {
      subjectId: 'text',
      workspaceId: 'text',
      ruleKey: 'text',
      ruleShown: 'text',
      open: 'integer',
      facets: 'integer',
      troubleSince: 'integer',
    },
    indexes: [
      { name: 'bySubject', fields: ['subjectId', 'troubleSince', 'id'] },
      { name: 'byWorkspace', fields: ['workspaceId', 'open', 'troubleSince'] },
      { name: 'byOpening', fields: ['workspaceId', 'troubleSince', 'id'] },
      { name: 'byFacets', fields: ['workspaceId', 'facets', 'troubleSince', 'id'] },
      { name: 'byRule', fields: ['workspaceId', 'ruleShown', 'facets', 'troubleSince', 'id'] },
    ],
  },
  history: {
    writer: 'keeper',
    columns: { incidentId: 'text', subjectId: 'text', sequence: 'integer', listed: 'integer', at: 'integer' },
    indexes: [
      { name: 'byIncident', fields: ['incidentId', 'sequence'], unique: true },
      { name: 'byListing', fields: ['incidentId', 'listed', 'sequence'] },
      { name: 'bySubject', fields: ['subjectId', 'at'] },
    ],
  },
  alerts: {
    writer: 'keeper',
    columns: { subjectId: 'text', incidentId: 'text', number: 'integer', state: 'text', decidedAt: 'integer' },
    indexes: [
      { name: 'byState', fields: ['state', 'decidedAt'] },
      { name: 'byIncident', fields: ['incidentId', 'number'], unique: true },
      { name: 'bySubject', fields: ['subjectId'] },
    ],
    expires: true,
  },
  checkpoints: { writer: 'keeper', columns: {}, indexes: [] },
  ...rollUpCollections,
  setAside: {
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
  proberCredentials: { writer: 'directory', columns: {}, indexes: [] },
  counters: { writer: 'directory', columns: {}, indexes: [] },
  settings: { writer: 'directory', columns: {}, indexes: [] },
  server_api_audit: {
    writer: 'directory',
    compact: true,
    columns: {
      personId: 'text',
      personName: 'text',
      keyId: 'text',
      keyPrefix: 'text',
      addressId: 'text',
      method: 'text',
      path: 'text',
      status: 'integer',
      userAgent: 'text',
    },
    indexes: [],
    expires: true,
  },
}
