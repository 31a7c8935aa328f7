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
  default: boolean
  transformationId: number | null
  createdAt: number
  updatedAt: number
}
