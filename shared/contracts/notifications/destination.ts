// Destinations of a workspace (reference/messages 1), whose URLs are secrets, payload transformations (3) and delivery tables (4). The
// directory writes them.
import type { Stored } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'

export type DestinationType = 'slack' | 'webhook'

export interface DestinationDocument extends Stored {
  /** Integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** Name in lower case, because names are compared without case. Unique within the workspace. */
  nameKey: string
  type: DestinationType
  /** Without the leading `#`; empty for a webhook. */
  channel: string
  url: string
  enabled: boolean
  /** True for a webhook that also gets a message when an incident opens, before it is confirmed. Always false for Slack. */
  sendOnOpen: boolean
  /** True if marked as the workspace's default. Of several marked destinations, only the latest is the default (`defaultDestination`). */
  default: boolean
  /** Instant of the mark, ms since the epoch; null: not marked. */
  defaultAt: number | null
  transformationId: number | null
  /** Secrets that sign the messages, newest first, at most two; absent or empty: messages are not signed. Never part of a response. */
  secrets?: SigningSecret[]
  createdAt: number
  updatedAt: number
}

export interface SigningSecret {
  /** Id of the request that created the secret, by which its retry finds the secret. */
  id: string
  /** `whsec_` and base64 (Standard Webhooks). */
  secret: string
  createdAt: number
  /** End of the signing with this secret, ms since the epoch; null: no end is set yet. */
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

/** Delivery table of a subject (reference/messages 4). id: the subject's id. Rows with a deleted destination are ignored. */
export interface DeliveryTableDocument extends Stored {
  workspaceId: string
  selections: DeliverySelection[]
  updatedAt: number
}

export interface DeliverySelection {
  /** Internal id of the destination. */
  destinationId: string
  /** Kinds in the order in which they were sent, without repetition; never empty. */
  alertKinds: TableKind[]
}
