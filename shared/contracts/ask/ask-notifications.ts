// Requests about destinations, transformations, delivery tables and the delivery log (reference/messages). A change names its object by the
// internal id, so that a retry changes the same object.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/page.ts'
import { Id, Nullable } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument, DestinationType, TransformationDocument } from '#shared/contracts/notifications/destination.ts'

const PublicNumber = Type.Integer({ description: 'the integer id that generation 2 shows' })
const TransformationNumber = Nullable(Type.Integer())
const One = { workspaceId: Id, id: Id }
/** Maximum number of entries. */
const EntryLimit = Type.Integer({ minimum: 1, maximum: 200 })
/** Created once per request, so that a retry finds the object that the first attempt wrote. */
const NewId = Type.Optional(Id)

export const notificationAsks = {
  /**
   * Errors: validation `Invalid name`, `Invalid url`, `Invalid channel`; taken `Destination name taken`; not_found `Transformation not
   * found`; invalid_state `Too many destinations`.
   */
  'create-destination': Type.Object({
    id: NewId,
    workspaceId: Id,
    name: Type.String(),
    type: Type.Enum(['slack', 'webhook']),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
    /**
     * Absent: the destination is enabled, and is the default only if it is alone. Given: the first enabled destination becomes default.
     */
    enabled: Type.Optional(Type.Boolean()),
    /** Absent: false. Errors: validation if true for Slack. */
    sendOnOpen: Type.Optional(Type.Boolean()),
  }),
  'list-destinations': Type.Object({ workspaceId: Id }),
  /** Returns null if the workspace has no destination with this number. */
  'get-destination': Type.Object({ workspaceId: Id, number: PublicNumber }),
  /** Replaces every field except the type; `default` false changes nothing. Errors also: invalid_state `Destination is disabled`. */
  'update-destination': Type.Object({
    ...One,
    name: Type.String(),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
  }),
  /** Changes only the given fields; `default` false changes nothing. Errors: as on creation, and validation of `default`. */
  'change-destination': Type.Object({
    ...One,
    name: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean()),
    sendOnOpen: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.Boolean()),
  }),
  'switch-destination': Type.Object({ ...One, enabled: Type.Boolean() }),
  /** Errors: invalid_state `Destination is disabled`. */
  'make-default-destination': Type.Object(One),
  /**
   * Returns whether the destination was the default; null if it is deleted already. Removes the rows of delivery tables that name it; no
   * other destination becomes default. `unlessUsed`: fails with validation and `used_by` while a rule names it.
   */
  'delete-destination': Type.Object({ ...One, unlessUsed: Type.Optional(Type.Boolean()) }),
  /** Errors: validation `Invalid name`, `Transformation name taken`, `Invalid template`, `Template does not render every message`. */
  'create-transformation': Type.Object({ id: NewId, workspaceId: Id, name: Type.String(), template: Type.String() }),
  /** A page by creation, oldest first. */
  'list-transformations': Type.Object({ workspaceId: Id, after: After }),
  'get-transformation': Type.Object({ workspaceId: Id, number: PublicNumber }),
  'update-transformation': Type.Object({ ...One, name: Type.String(), template: Type.String() }),
  /** Returns null, also if the transformation is deleted already. Its destinations use the built-in body from then on. */
  'delete-transformation': Type.Object(One),
  'get-delivery-table': Type.Object({ workspaceId: Id, subjectId: Id }),
  /** Replaces all rows; without rows, messages go to the default destination. Errors: not_found `Destination not found`. */
  'put-delivery-table': Type.Object({
    workspaceId: Id,
    subjectId: Id,
    selections: Type.Array(
      Type.Object({
        number: PublicNumber,
        alertKinds: Type.Array(Type.Enum(['problem', 'no_data', 'recovery']), { minItems: 1 }),
      }),
    ),
  }),
  /** A page of attempts and of held messages about an incident (by its internal id), newest first. */
  'list-incident-deliveries': Type.Object({ workspaceId: Id, incidentId: Id, limit: EntryLimit, after: After }),
  /** A page of attempts and of held messages of a destination, newest first, tests included. */
  'list-destination-deliveries': Type.Object({ workspaceId: Id, destinationId: Id, limit: EntryLimit, after: After }),
  /** A page of the delivery log as generation 2 shows it, newest first. */
  'list-deliveries': Type.Object({
    workspaceId: Id,
    /** Number of a destination, which may be deleted; null: all destinations. */
    destinationNumber: Nullable(Type.Integer()),
    failedOnly: Type.Boolean(),
    /** Maximum number of rows. */
    limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    after: After,
  }),
  /** A page of all messages that were sent or held in the workspace, with payloads, newest first. */
  'list-delivery-log': Type.Object({
    workspaceId: Id,
    status: Nullable(Type.Enum(['delivered', 'failed', 'held'])),
    /** Internal id of a destination; null: all destinations. */
    destinationId: Nullable(Id),
    /** Only messages about incidents of this subject; null: all. A message must match both subject and destination if given. */
    subjectId: Nullable(Id),
    limit: EntryLimit,
    after: After,
  }),
} as const

export type DestinationView = Omit<DestinationDocument, 'rev' | 'nameKey' | 'defaultAt' | 'secrets'>

export type TransformationView = Omit<TransformationDocument, 'rev'>

export interface DeliveryTableView {
  selections: { number: number; name: string; alertKinds: TableKind[] }[]
  /** Number of the workspace's default destination; null: none. */
  defaultNumber: number | null
}

export interface DeliveryView {
  number: number
  destinationNumber: number
  destinationName: string
  destinationType: DestinationType
  alertKind: TableKind
  status: 'delivered' | 'failed'
  payload: string
  error: string
  at: number
}

/** One attempt to send a message, or one withheld message. */
export type DeliveryEntry = Pick<
  DeliveryLogDocument,
  'at' | 'destinationName' | 'destinationType' | 'event' | 'status' | 'reason' | 'incidentId'
>

export interface LoggedDelivery extends DeliveryEntry {
  /** Internal id; null: no destination was chosen, or it is deleted. */
  destinationId: string | null
  payload: string
  /** Empty: delivered. */
  error: string
  /** Remarks about the payload. */
  note: string | null
}

export interface NotificationAnswers {
  'create-destination': DestinationView
  'list-destinations': DestinationView[]
  'get-destination': DestinationView | null
  'update-destination': DestinationView
  'change-destination': DestinationView
  'switch-destination': DestinationView
  'make-default-destination': DestinationView
  'delete-destination': { wasDefault: boolean | null }
  'create-transformation': TransformationView
  'list-transformations': Page<TransformationView>
  'get-transformation': TransformationView | null
  'update-transformation': TransformationView
  'delete-transformation': null
  'get-delivery-table': DeliveryTableView
  'put-delivery-table': DeliveryTableView
  'list-incident-deliveries': Page<DeliveryEntry>
  'list-destination-deliveries': Page<DeliveryEntry>
  'list-deliveries': Page<DeliveryView>
  'list-delivery-log': Page<LoggedDelivery>
}
