// Dialog of an action on monitors, or an announcement of the reason why the action is impossible.
import { useEffect, useMemo } from 'preact/hooks'
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { may } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { MaintenanceDialog } from './maintenance-dialog.tsx'
import { openIncidents } from './open-incidents.ts'

export interface ActDialogProps {
  kind: 'acknowledge' | 'maintenance'
  rows: readonly MonitorRow[]
  /** Called after the act was done, or refused by the server. */
  onDone(): void
  onClose(): void
}

export function ActDialog({ kind, rows, ...calls }: ActDialogProps) {
  // Evaluated once. If the person loses the role later, the server refuses the action.
  const obstacle = useMemo(() => obstacleTo(kind, rows), [])
  useEffect(() => {
    if (obstacle === null) return
    announce(obstacle.sentence, obstacle)
    calls.onClose()
  }, [])
  if (obstacle !== null) return null
  if (kind === 'acknowledge') return <AcknowledgeDialog incidents={openIncidents(rows)} {...calls} />
  return <MaintenanceDialog monitors={rows} canEnd={rows.some(({ maintenance_until: until }) => until !== null)} {...calls} />
}

function obstacleTo(kind: ActDialogProps['kind'], rows: readonly MonitorRow[]) {
  if (rows.length === 0) return { sentence: 'Choose a monitor first: j and k walk, x chooses.', isRefusal: false }
  if (kind === 'maintenance' && !may('editor'))
    return { sentence: 'Maintenance needs the role editor in this workspace.', isRefusal: true }
  if (kind === 'acknowledge' && openIncidents(rows).length === 0)
    return { sentence: 'There is no open incident to acknowledge here.', isRefusal: false }
  return null
}
