// Documents of a workspace's destinations (reference/messages 1), payload transformations (3) and delivery tables (4). The URLs of
// destinations are secrets. Only the directory writes these documents.
import type { Stored } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'

/** Value of a setting. */
export type SettingValue = string | number | boolean | string[] | SettingStep[]

/** One step of an escalation: a destination of the workspace, by its id, and the minutes after which it hears of a problem. */
export interface SettingStep {
  destination: string
  after_minutes: number
}

export interface DestinationDocument extends Stored {
  /** Integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** Name in lower case, because names are compared without case. Unique within the workspace. */
  nameKey: string
  /** Type of its channel (shared/channels/registry.ts). */
  type: string
  /** Channel without the leading `#`; empty if the type has none. */
  channel: string
  /** Empty if the type has its addresses in `settings`. */
  url: string
  /** Settings of the type by key, apart from `url`, `channel` and `sendOnOpen`. Unset ones are absent. Absent: none is set. */
  settings?: Record<string, SettingValue>
  /**
   * Earlier values of secrets, newest first, of a type where alerts stay open until they are ended: they end what they opened. Absent: none.
   * Never part of a response.
   */
  former?: FormerSecret[]
  enabled: boolean
  /** True if it also gets a message when an incident opens, before it is confirmed. Always false for types without this setting. */
  sendOnOpen: boolean
  /**
   * True if the destination is marked as the workspace's default. If several destinations are marked, only the one marked last is the
   * default (`defaultDestination`).
   */
  default: boolean
  /** Instant at which the destination was marked as the default, ms since the epoch; null: it is not marked. */
  defaultAt: number | null
  transformationId: number | null
  /** Secrets that sign the messages, newest first, at most two; absent or empty: messages are not signed. Never part of a response. */
  secrets?: SigningSecret[]
  createdAt: number
  updatedAt: number
}

export interface FormerSecret {
  /** Key of the setting. */
  key: string
  value: SettingValue
  /** Instant from which it is no longer used, ms since the epoch. */
  until: number
}

export interface SigningSecret {
  /** Id of the request that created the secret. A retry of the request finds the secret by this id. */
  id: string
  /** `whsec_` followed by base64, as in Standard Webhooks. */
  secret: string
  createdAt: number
  /** Instant from which this secret no longer signs, ms since the epoch; null: no end is set. */
  expiresAt: number | null
}

/** Template for the bodies of a destination's messages. */
export interface TransformationDocument extends Stored {
  /** Integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** Name in lower case, because names are compared without case. Unique within the workspace. */
  nameKey: string
  template: string
  createdAt: number
  updatedAt: number
}

/** Delivery table of a subject (reference/messages 4). id: the subject's id. Rows whose destination is deleted are ignored. */
export interface DeliveryTableDocument extends Stored {
  workspaceId: string
  selections: DeliverySelection[]
  updatedAt: number
}

export interface DeliverySelection {
  /** Internal id of the destination. */
  destinationId: string
  /** Kinds of messages for this destination, in the order in which the client sent them, without repetition; never empty. */
  alertKinds: TableKind[]
}
