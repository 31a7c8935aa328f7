// Requests about destinations with their secrets, transformations, delivery tables and the delivery log (reference/messages). A request
// that changes an object names the object by its internal id, so that a retry changes the same object.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { deliveryStatuses } from '#shared/contracts/notifications/delivery-status.ts'
import type { DestinationDocument, TransformationDocument } from '#shared/contracts/notifications/destination.ts'

const PublicNumber = Type.Integer({ description: 'the integer id that generation 2 shows' })
const TransformationNumber = Nullable(Type.Integer())
const One = { workspaceId: Id, id: Id }
const Place = { workspaceId: Id, number: Type.Integer({ minimum: 1 }) }
const EntryLimit = Type.Integer({ minimum: 1, maximum: 200 })
/** Settings by key; the directory checks them by the fields of the channel. */
const SentSettings = Type.Record(Type.String(), Type.Unknown())
/** The caller creates this id once per request, so that a retry finds the object that the first attempt wrote. */
const NewId = Type.Optional(Id)

export const notificationAsks = {
  /**
   * Creates a destination. Errors: `validation`, `taken`, `not_found` (`Transformation not found`), `invalid_state` (`Too many
   * destinations`).
   */
  'create-destination': ask<DestinationView>()({
    id: NewId,
    workspaceId: Id,
    name: Type.String(),
    type: Type.String(),
    /** Empty for a type whose address is a setting. */
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
    /**
     * Whether the destination is enabled. True: the destination becomes the default if no other destination is enabled or default. Absent:
     * the destination is enabled, but becomes the default only if it is the workspace's first destination.
     */
    enabled: Type.Optional(Type.Boolean()),
    /** Whether a message is sent when an incident opens, before it is confirmed. Absent: false. Errors: `validation` if the type sends none. */
    sendOnOpen: Type.Optional(Type.Boolean()),
    settings: Type.Optional(SentSettings),
  }),
  /** `generation`: only destinations of types that this generation of the API shows; absent: all. */
  'list-destinations': ask<DestinationView[]>()({ workspaceId: Id, generation: Type.Optional(Type.Literal(2)) }),
  /** Returns a destination; null: the workspace has no destination with this number that generation 2 shows. */
  'get-destination': ask<DestinationView | null>()({ workspaceId: Id, number: PublicNumber }),
  /**
   * Replaces every field except the type. `default: false` changes nothing. Errors: those of the creation, and `invalid_state`
   * (`Destination is disabled`).
   */
  'update-destination': ask<DestinationView>()({
    ...One,
    name: Type.String(),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
  }),
  /** Changes only the given fields. `default: false` changes nothing. Errors: those of the creation, and `validation` of `default`. */
  'change-destination': ask<DestinationView>()({
    ...One,
    name: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean()),
    sendOnOpen: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.Boolean()),
    settings: Type.Optional(SentSettings),
  }),
  'switch-destination': ask<DestinationView>()({ ...One, enabled: Type.Boolean() }),
  /** Makes a destination the default. Errors: `invalid_state` (`Destination is disabled`). */
  'make-default-destination': ask<DestinationView>()(One),
  /**
   * Deletes a destination, and the rows of delivery tables that name it. No other destination becomes the default. `wasDefault`: whether
   * the deleted destination was the default; null: it was deleted already. Fails with `validation` and `used_by` while another destination
   * passes messages on to it, and with `unlessUsed` also while a rule names it.
   */
  'delete-destination': ask<{ wasDefault: boolean | null }>()({ ...One, unlessUsed: Type.Optional(Type.Boolean()) }),
  /**
   * Creates a transformation. Errors: `validation` (`Invalid name`, `Invalid template`, `Template does not render every message`), `taken`.
   */
  'create-transformation': ask<TransformationView>()({
    id: NewId,
    workspaceId: Id,
    name: Type.String(),
    template: Type.String(),
  }),
  /** A page of the transformations, oldest first. */
  'list-transformations': ask<Page<TransformationView>>()({ workspaceId: Id, after: After }),
  'get-transformation': ask<TransformationView | null>()({ workspaceId: Id, number: PublicNumber }),
  'update-transformation': ask<TransformationView>()({ ...One, name: Type.String(), template: Type.String() }),
  /**
   * Deletes a transformation. Succeeds also if it is deleted already. Destinations that used the transformation send the built-in body from
   * then on.
   */
  'delete-transformation': ask<null>()(One),
  'get-delivery-table': ask<DeliveryTableView>()({ workspaceId: Id, subjectId: Id }),
  /**
   * Replaces all rows of the table. If the table has no rows, messages go to the default destination. Errors: `not_found` (`Destination not
   * found`).
   */
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
   * Creates a secret. For `graceMs` from now on, the previous secret also signs messages. With `graceMs` 0, only the new secret signs
   * messages. Secrets before the previous one no longer sign. `alongUntil`: instant at which the previous secret stops signing; null: no
   * previous secret signs.
   */
  'rotate-destination-secret': ask<{ secret: string; destinationName: string; alongUntil: number | null }>()({
    ...Place,
    /** Id of the secret. The caller creates it once per request, so that a retry returns the same secret. */
    id: Id,
    graceMs: Type.Integer({ minimum: 0 }),
    /** True: the request creates a secret only if the destination has none, and fails with `invalid_state` if it has one. */
    first: Type.Optional(Type.Boolean()),
  }),
  /** Deletes the secrets of a destination, so that its messages are no longer signed. Succeeds also if the destination has no secret. */
  'delete-destination-secret': ask<{ destinationName: string; removed: boolean }>()(Place),
  /** A page of the attempts and of the held messages about an incident, newest first. `incidentId`: internal id of the incident. */
  'list-incident-deliveries': ask<Page<DeliveryEntry>>()({ workspaceId: Id, incidentId: Id, limit: EntryLimit, after: After }),
  /** A page of the attempts and of the held messages to a destination, newest first. Test messages are included. */
  'list-destination-deliveries': ask<Page<DeliveryEntry>>()({
    workspaceId: Id,
    destinationId: Id,
    limit: EntryLimit,
    after: After,
  }),
  /** A page of the delivery log as generation 2 shows it, newest first. */
  'list-deliveries': ask<Page<DeliveryView>>()({
    workspaceId: Id,
    /** Number of the destination whose rows are returned, which may be deleted. Null: rows of all destinations. */
    destinationNumber: Nullable(Type.Integer()),
    failedOnly: Type.Boolean(),
    limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    after: After,
  }),
  /** A page of all messages that were sent or held in the workspace, with payloads, newest first. */
  'list-delivery-log': ask<Page<LoggedDelivery>>()({
    workspaceId: Id,
    status: Nullable(Type.Enum(deliveryStatuses)),
    /** Internal id of the destination whose messages are returned. Null: messages to all destinations. */
    destinationId: Nullable(Id),
    /**
     * Selects messages about incidents of this subject; null: messages about all subjects. If a destination is given too, a message must
     * match both.
     */
    subjectId: Nullable(Id),
    limit: EntryLimit,
    after: After,
  }),
} as const

/** Secrets among the settings are redacted. */
export type DestinationView = Omit<DestinationDocument, 'rev' | 'nameKey' | 'defaultAt' | 'secrets'>

export type TransformationView = Omit<TransformationDocument, 'rev'>

export interface DeliveryTableView {
  selections: { number: number; name: string; alertKinds: TableKind[] }[]
  /** Number of the workspace's default destination; null: there is none that generation 2 shows. */
  defaultNumber: number | null
  /** Who gets messages that no row selects; empty: there are rows. */
  fallback: 'workspace_default' | 'silence' | ''
}

export interface DeliveryView {
  number: number
  destinationNumber: number
  destinationName: string
  destinationType: string
  alertKind: TableKind
  status: 'delivered' | 'failed'
  payload: string
  error: string
  at: number
}

/** One attempt to send a message, or one held message. */
export type DeliveryEntry = Pick<
  DeliveryLogDocument,
  'at' | 'destinationName' | 'destinationType' | 'event' | 'status' | 'reason' | 'incidentId'
>

export interface LoggedDelivery extends DeliveryEntry {
  /** Internal id of the destination; null: no destination was chosen, or the destination is deleted. */
  destinationId: string | null
  payload: string
  /** Empty: delivered. */
  error: string
  /** Remark about the payload. */
  note: string | null
  /** The monitor that the message is about; null: a test message, or the monitor was deleted. */
  subject: { id: string; name: string } | null
  /** Key of the rule that the message is about; null: a test message, or the incident is no longer stored. */
  rule: string | null
}
