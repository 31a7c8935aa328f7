// A notification destination of a workspace (spec D 2). The directory writes it; the URL is a secret.
import type { Stored } from '#shared/contracts/common.ts'

export type DestinationType = 'slack' | 'webhook'

export interface DestinationDocument extends Stored {
  /** The integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** The name in lower case: a name is taken whatever its case. Unique within the workspace. */
  nameKey: string
  type: DestinationType
  /** Without the leading `#`; empty for a webhook. */
  channel: string
  url: string
  enabled: boolean
  /** A webhook that wants to hear when an incident opens, before it is confirmed. Always false of Slack. */
  sendOnOpen: boolean
  /** Marked as the workspace's default. Of several marked ones the latest counts alone (`defaultDestination`). */
  default: boolean
  /** When it was marked, ms since the epoch; absent in older documents. */
  defaultAt?: number | null
  transformationId: number | null
  /** What messages are signed with, newest first, at most two; absent or empty: they are not. Never part of any answer. */
  secrets?: SigningSecret[]
  createdAt: number
  updatedAt: number
}

export interface SigningSecret {
  /** The request that made it, so that its repetition finds it. */
  id: string
  /** `whsec_` and base64 (Standard Webhooks). */
  secret: string
  createdAt: number
  /** When it signs no more, ms since the epoch; null: not yet decided. */
  expiresAt: number | null
}
