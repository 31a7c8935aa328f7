// Dialog of an action on monitors.
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { MaintenanceDialog } from './maintenance-dialog.tsx'
import { openIncidents } from './open-incidents.ts'

export interface ActDialogProps {
  kind: 'acknowledge' | 'maintenance'
  rows: readonly MonitorRow[]
  /** Called after the server has performed or refused the action. */
  onDone(): void
  onClose(): void
}

export function ActDialog({ kind, rows, ...calls }: ActDialogProps) {
  if (kind === 'acknowledge') return <AcknowledgeDialog incidents={openIncidents(rows)} {...calls} />
  return <MaintenanceDialog monitors={rows} canEnd={rows.some(({ maintenance_until: until }) => until !== null)} {...calls} />
}
