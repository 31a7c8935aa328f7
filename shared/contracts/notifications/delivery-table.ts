// The delivery table of a subject (reference/messages 4): its destinations, and the kinds of messages for each. The directory writes it,
// notifiers read it.

import type { Stored } from '#shared/contracts/common.ts'
import type { TableKind } from '#shared/contracts/incidents/alert.ts'

/** id: the subject's id. Rows with a deleted destination are ignored. */
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
