// The delivery table of a subject (spec D 2): which destinations it tells, and about what. The directory writes it, notifiers read it.
import type { TableKind } from '#shared/contracts/alert.ts'
import type { Stored } from '#shared/contracts/common.ts'

/** id is the subject's. Rows that name a destination that is gone count as if they were not there. */
export interface DeliveryTableDocument extends Stored {
  workspaceId: string
  selections: DeliverySelection[]
  updatedAt: number
}

export interface DeliverySelection {
  /** The destination's id inside the system. */
  destinationId: string
  /** In the order in which they were given, each once; never empty. */
  alertKinds: TableKind[]
}
