// Requests about destinations with their secrets, transformations, delivery tables and the delivery log (reference/messages). A change
// names its object by the internal id, so that a retry changes the same object.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument, DestinationType, TransformationDocument } from '#shared/contracts/notifications/destination.ts'

const PublicNumber = Type.Integer({ description: 'the integer id that generation 2 shows' })
const TransformationNumber = Nullable(Type.Integer())
const One = { workspaceId: Id, id: Id }
const Place = { workspaceId: Id, number: Type.Integer({ minimum: 1 }) }
/** Maximum number of entries. */
const EntryLimit = Type.Integer({ minimum: 1, maximum: 200 })
/** The caller creates this id once per request, so that a retry finds the object that the first attempt wrote. */
const NewId = Type.Optional(Id)

export const notificationAsks = {
  /** Errors: validation, taken `Destination name taken`, not_found `Transformation not found`, invalid_state `Too many destinations`. */
  'create-destination': ask<DestinationView>()({
    id: NewId,
    workspaceId: Id,
    name: Type.String(),
    type: Type.Enum(['slack', 'webhook']),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
    /** Absent: enabled, and the default only if it is the first destination. True: the default if no other is enabled or default. */
    enabled: Type.Optional(Type.Boolean()),
    /** Absent: false. Errors: validation if true for Slack. */
    sendOnOpen: Type.Optional(Type.Boolean()),
  }),
  'list-destinations': ask<DestinationView[]>()({ workspaceId: Id }),
  /** Returns null if the workspace has no destination with this number. */
  'get-destination': ask<DestinationView | null>()({ workspaceId: Id, number: PublicNumber }),
  /** Replaces every field except the type; `default` false changes nothing. Errors also: invalid_state `Destination is disabled`. */
  'update-destination': ask<DestinationView>()({
    ...One,
    name: Type.String(),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
  }),
  /** Changes only the given fields; `default` false changes nothing. Errors: as on creation, and validation of `default`. */
  'change-destination': ask<DestinationView>()({
    ...One,
    name: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean()),
    sendOnOpen: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.Boolean()),
  }),
  'switch-destination': ask<DestinationView>()({ ...One, enabled: Type.Boolean() }),
  /** Errors: invalid_state `Destination is disabled`. */
  'make-default-destination': ask<DestinationView>()(One),
  /**
   * Returns whether the destination was the default; null if it is deleted already. Removes the rows of delivery tables that name it; no
   * other destination becomes default. `unlessUsed`: fails with validation and `used_by` while a rule names the destination.
   */
  'delete-destination': ask<{ wasDefault: boolean | null }>()({ ...One, unlessUsed: Type.Optional(Type.Boolean()) }),
  /** Errors: validation `Invalid name`, `Transformation name taken`, `Invalid template`, `Template does not render every message`. */
  'create-transformation': ask<TransformationView>()({
    id: NewId,
    workspaceId: Id,
    name: Type.String(),
    template: Type.String(),
  }),
  /** A page by creation, oldest first. */
  'list-transformations': ask<Page<TransformationView>>()({ workspaceId: Id, after: After }),
  'get-transformation': ask<TransformationView | null>()({ workspaceId: Id, number: PublicNumber }),
  'update-transformation': ask<TransformationView>()({ ...One, name: Type.String(), template: Type.String() }),
  /** Returns null, also if the transformation is deleted already. Its destinations use the built-in body from then on. */
  'delete-transformation': ask<null>()(One),
  'get-delivery-table': ask<DeliveryTableView>()({ workspaceId: Id, subjectId: Id }),
  /** Replaces all rows; without rows, messages go to the default destination. Errors: not_found `Destination not found`. */
  'put-delivery-table': ask<DeliveryTableView>()({
    workspaceId: Id,
    subjectId: Id,
    selections: Type.Array(
      Type.Object({
        number: PublicNumber,
        alertKinds: Type.Array(Type.Enum(['problem', 'no_data', 'recovery']), { minItems: 1 }),
      }),
    ),
  }),
  // Secrets that sign messages (reference/messages 7.9). Only the response to the creation of a secret contains it.
  /**
   * Creates a secret. For `graceMs` (0: not at all), the previous secret signs too. Older secrets stop signing. `alongUntil`: end of the
   * time in which the previous secret also signs; null: no previous secret signs.
   */
  'rotate-destination-secret': ask<{ secret: string; destinationName: string; alongUntil: number | null }>()({
    ...Place,
    /** Created once per request, so that a retry returns the same secret. */
    id: Id,
    graceMs: Type.Integer({ minimum: 0 }),
    /** True: creates a secret only if the destination has none, else fails with `invalid_state`. */
    first: Type.Optional(Type.Boolean()),
  }),
  /** Ends the signing of messages. Succeeds also if the destination has no secret. */
  'delete-destination-secret': ask<{ destinationName: string; removed: boolean }>()(Place),
  /** A page of attempts and of held messages about an incident (by its internal id), newest first. */
  'list-incident-deliveries': ask<Page<DeliveryEntry>>()({ workspaceId: Id, incidentId: Id, limit: EntryLimit, after: After }),
  /** A page of attempts and of held messages of a destination, newest first, tests included. */
  'list-destination-deliveries': ask<Page<DeliveryEntry>>()({
    workspaceId: Id,
    destinationId: Id,
    limit: EntryLimit,
    after: After,
  }),
  /** A page of the delivery log as generation 2 shows it, newest first. */
  'list-deliveries': ask<Page<DeliveryView>>()({
    workspaceId: Id,
    /** Number of a destination, which may be deleted; null: all destinations. */
    destinationNumber: Nullable(Type.Integer()),
    failedOnly: Type.Boolean(),
    /** Maximum number of rows. */
    limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    after: After,
  }),
  /** A page of all messages that were sent or held in the workspace, with payloads, newest first. */
  'list-delivery-log': ask<Page<LoggedDelivery>>()({
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
