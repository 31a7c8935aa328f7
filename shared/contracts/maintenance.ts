// A maintenance window: the machine's persisted snapshot inside its subject, and the document that is kept of every window.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'

export interface MaintenanceSnapshot {
  machine: 'maintenance'
  version: number
  value: MaintenanceState
  context: MaintenanceContext
  /** How it came to where it is; the oldest steps leave when there are many. */
  steps: MaintenanceStep[]
}

export interface MaintenanceStep {
  event: RecordedEvent
  state: MaintenanceState
  deadlineAt: number | null
}

export type MaintenanceState = 'running' | 'ranOut' | 'cancelled'

/** Instants in ms since the epoch. */
export interface MaintenanceContext {
  windowId: string
  startedAt: number
  endsAt: number
  cancelledAt: number | null
  /** Display name of who started it. */
  by: string
  /** The next instant at which time alone moves it: its end while it runs. */
  deadlineAt: number | null
}

/** id: `<subject>.w<number>`. */
export interface WindowDocument extends Stored {
  subjectId: string
  workspaceId: string
  state: MaintenanceState
  startedAt: number
  endsAt: number
  cancelledAt: number | null
  by: string
  steps: MaintenanceStep[]
}
