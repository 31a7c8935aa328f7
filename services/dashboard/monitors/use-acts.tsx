// The acts on monitors that rows and pages share: their keys, their buttons, and the dialog that asks first.
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { may } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import { AcknowledgeDialog, MaintenanceDialog } from './lazy-dialogs.ts'

type Kind = 'acknowledge' | 'maintenance'

interface Acting {
  /** Returns the monitors of an act that begins. */
  rows(): readonly MonitorRow[]
  /** Called after the act was done, or refused by the server. */
  onDone(): void
}

interface Acts {
  begin(kind: Kind): void
  dialog: JSX.Element | null
}

/** Returns the worst unacknowledged open incident of each row. */
export const openIncidents = (rows: readonly MonitorRow[]) =>
  rows.flatMap(({ name, incident }) => (incident && !incident.acknowledged ? [{ id: incident.id, name }] : []))

export function useActs({ rows, onDone }: Acting): Acts {
  const act = useSignal<{ kind: Kind; rows: readonly MonitorRow[] } | null>(null)
  const begin = (kind: Kind) => {
    const chosen = rows()
    if (chosen.length === 0) return announce('Choose a monitor first: j and k walk, x chooses.')
    if (kind === 'maintenance' && !may('editor')) {
      return announce('Maintenance needs the role editor in this workspace.', { isRefusal: true })
    }
    if (kind === 'acknowledge' && openIncidents(chosen).length === 0) {
      return announce('There is no open incident to acknowledge here.')
    }
    act.value = { kind, rows: chosen }
  }
  useKeys([
    { key: 'a', words: 'Acknowledge the incident', run: () => begin('acknowledge') },
    { key: 'm', words: 'Maintenance', run: () => begin('maintenance') },
  ])
  const close = () => {
    act.value = null
  }
  const { kind, rows: chosen = [] } = act.value ?? {}
  const common = { onClose: close, onDone }
  const dialog =
    kind === 'acknowledge' ? (
      <AcknowledgeDialog incidents={openIncidents(chosen)} {...common} />
    ) : kind === 'maintenance' ? (
      <MaintenanceDialog
        monitors={chosen}
        canEnd={chosen.some(({ maintenance_until }) => maintenance_until !== null)}
        {...common}
      />
    ) : null
  return { begin, dialog }
}

/** `canTake`: whether an incident is not acknowledged yet. */
export function ActButtons({ begin, canTake, look }: Pick<Acts, 'begin'> & { canTake: boolean; look?: 'main' }) {
  return (
    <>
      {canTake && (
        <Button {...(look === undefined ? {} : { look })} shortcut="a" onClick={() => begin('acknowledge')}>
          Acknowledge
        </Button>
      )}
      {may('editor') && (
        <Button shortcut="m" onClick={() => begin('maintenance')}>
          Maintenance
        </Button>
      )}
    </>
  )
}
