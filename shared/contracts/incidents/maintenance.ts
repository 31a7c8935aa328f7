// A maintenance window: the machine snapshot in the subject's document, and the document that is stored for every window.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'

export interface MaintenanceSnapshot {
  machine: 'maintenance'
  version: number
  value: MaintenanceState
  context: MaintenanceContext
  /** Steps of the window so far; the oldest are dropped if there are too many. */
  steps: MaintenanceStep[]
}

export interface MaintenanceStep {
  event: RecordedEvent
  state: MaintenanceState
  deadlineAt: number | null
}

export type MaintenanceState = 'running' | 'ranOut' | 'cancelled'

/** Instants in ms since the epoch. */
export interface WindowView {
  startedAt: number
  endsAt: number
  cancelledAt: number | null
  /** Display name of the person who started the window. */
  by: string
}

export interface MaintenanceContext extends WindowView {
  windowId: string
  /** Next instant at which time alone changes the window: its end while it runs. */
  deadlineAt: number | null
}

/** id: `<subject>.w<number>`. */
export interface WindowDocument extends Stored, WindowView {
  subjectId: string
  workspaceId: string
  state: MaintenanceState
  steps: MaintenanceStep[]
}
