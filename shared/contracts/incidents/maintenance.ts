// A maintenance window in its two stored forms: the machine's snapshot in the subject's document, and the window's own document.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'

export interface MaintenanceSnapshot {
  machine: 'maintenance'
  version: number
  value: MaintenanceState
  context: MaintenanceContext
  /** Steps of the window so far. If there are too many, the oldest steps are dropped. */
  steps: MaintenanceStep[]
}

export interface MaintenanceStep {
  event: RecordedEvent
  state: MaintenanceState
  deadlineAt: number | null
}

export type MaintenanceState = 'running' | 'ranOut' | 'cancelled'

/** A maintenance window as commands and reads return it. Instants in ms since the epoch. */
export interface WindowView {
  startedAt: number
  endsAt: number
  cancelledAt: number | null
  /** Display name of the person who started the window. */
  by: string
}

export interface MaintenanceContext extends WindowView {
  windowId: string
  /** Next instant at which time alone changes the window: the window's end while the window is running. */
  deadlineAt: number | null
}

/** id: `<subject>.w<number>`. */
export interface WindowDocument extends Stored, WindowView {
  subjectId: string
  workspaceId: string
  state: MaintenanceState
  steps: MaintenanceStep[]
}
