// Questions about notification destinations, payload transformations, delivery tables and the delivery log (spec D 2). Who changes
// one names it by its id inside the system, so that a repeated try meets the same one.
import { Type } from 'typebox'
import type { TableKind } from '#shared/contracts/alert.ts'
import { Id, Nullable } from '#shared/contracts/common.ts'
import type { DeliveryEvent } from '#shared/contracts/delivery.ts'
import type { DestinationType } from '#shared/contracts/destination.ts'
import { After, type Page } from '#shared/contracts/page.ts'

const PublicNumber = Type.Integer({ description: 'the integer id that generation 2 shows' })
const TransformationNumber = Nullable(Type.Integer())
const One = { workspaceId: Id, id: Id }
/** No more than this many entries. */
const EntryLimit = Type.Integer({ minimum: 1, maximum: 200 })
/** Made once per request, so that a repeated try finds what the first one wrote. */
const NewId = Type.Optional(Id)

export const notificationAsks = {
  /**
   * Refused: validation `Invalid name`, `Invalid url`, `Invalid channel`; taken `Destination name taken`; not_found `Transformation not
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
    /** Absent: enabled, and default only if the workspace has no other. Given: the first enabled one becomes default. */
    enabled: Type.Optional(Type.Boolean()),
    /** Refused with true: validation for Slack. Absent: false. */
    sendOnOpen: Type.Optional(Type.Boolean()),
  }),
  'list-destinations': Type.Object({ workspaceId: Id }),
  /** Null where the workspace has none of this number. */
  'get-destination': Type.Object({ workspaceId: Id, number: PublicNumber }),
  /** Replaces everything but the type; `default` false leaves the mark as it is. Refused also: invalid_state `Destination is disabled`. */
  'update-destination': Type.Object({
    ...One,
    name: Type.String(),
    url: Type.String(),
    channel: Type.String(),
    default: Type.Boolean(),
    transformationId: TransformationNumber,
  }),
  /** Changes the members that are given; `default` false leaves the mark as it is. Refused: as a creation, and validation of `default`. */
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
  /** Refused: invalid_state `Destination is disabled`. */
  'make-default-destination': Type.Object(One),
  /**
   * Returns whether it was the default; null if it is gone already. Subjects' rows that name it go, no other becomes default.
   * `unlessUsed`: refused with validation and `used_by` while a rule names it.
   */
  'delete-destination': Type.Object({ ...One, unlessUsed: Type.Optional(Type.Boolean()) }),
  /** Refused: validation `Invalid name`, `Transformation name taken`, `Invalid template`, `Template does not render every message`. */
  'create-transformation': Type.Object({ id: NewId, workspaceId: Id, name: Type.String(), template: Type.String() }),
  /** A page in the order in which they were made. */
  'list-transformations': Type.Object({ workspaceId: Id, after: After }),
  'get-transformation': Type.Object({ workspaceId: Id, number: PublicNumber }),
  'update-transformation': Type.Object({ ...One, name: Type.String(), template: Type.String() }),
  /** Answers null, also where it is gone already. Destinations that used it use the built-in body from then on. */
  'delete-transformation': Type.Object(One),
  'get-delivery-table': Type.Object({ workspaceId: Id, subjectId: Id }),
  /** Replaces all rows; none: the workspace's default is told again. Refused: not_found `Destination not found`. */
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
  /** A page of attempts and of messages kept back about an incident (by its id inside the system), newest first. */
  'list-incident-deliveries': Type.Object({ workspaceId: Id, incidentId: Id, limit: EntryLimit, after: After }),
  /** The same of a destination, tests included. */
  'list-destination-deliveries': Type.Object({ workspaceId: Id, destinationId: Id, limit: EntryLimit, after: After }),
  /** A page of the delivery log as generation 2 shows it, newest first. */
  'list-deliveries': Type.Object({
    workspaceId: Id,
    /** Of this destination alone, also after it was deleted; null: of all. */
    destinationNumber: Nullable(Type.Integer()),
    failedOnly: Type.Boolean(),
    /** No more than this many rows. */
    limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    after: After,
  }),
} as const

export interface DestinationView {
  /** Inside the system. */
  id: string
  number: number
  name: string
  type: DestinationType
  channel: string
  url: string
  enabled: boolean
  sendOnOpen: boolean
  default: boolean
  transformationId: number | null
  workspaceId: string
  createdAt: number
  updatedAt: number
}

export interface TransformationView {
  /** Inside the system. */
  id: string
  number: number
  name: string
  /** What a list is sorted by. */
  nameKey: string
  template: string
  workspaceId: string
  createdAt: number
  updatedAt: number
}

export interface DeliveryTableView {
  selections: { number: number; name: string; alertKinds: TableKind[] }[]
  /** The number of the workspace's default destination; null: none. */
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

/** An attempt, or a message that was kept back. */
export interface DeliveryEntry {
  at: number
  /** As it was called then; null if no destination was chosen. */
  destinationName: string | null
  destinationType: DestinationType | null
  event: DeliveryEvent
  status: 'delivered' | 'failed' | 'held'
  /** Null if delivered. */
  reason: string | null
  /** Inside the system; null of a test. */
  incidentId: string | null
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
}
