// The actions on monitors that rows and pages share: keyboard shortcuts, buttons, and the dialog before an action.
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { may } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import { lazy } from '../parts/lazy.tsx'
import type { ActDialogProps } from './act-dialog.tsx'
import { openIncidents } from './open-incidents.ts'

type Kind = ActDialogProps['kind']

const ActDialog = lazy(() => import('./dialogs.ts').then(it => it.ActDialog))

interface Acting {
  /** Returns the monitors to which an action applies; called when the action begins. */
  rows(): readonly MonitorRow[]
  /** Called after the server has performed or refused the action. */
  onDone(): void
}

interface Acts {
  begin(kind: Kind): void
  dialog: JSX.Element | null
}

export function useActs({ rows, onDone }: Acting): Acts {
  const act = useSignal<Pick<ActDialogProps, 'kind' | 'rows'> | null>(null)
  const begin = (kind: Kind) => {
    const chosen = rows()
    if (chosen.length === 0) return announce('Choose a monitor first: j and k walk, x chooses.')
    if (kind === 'maintenance' && !may('editor'))
      return announce('Maintenance needs the role editor in this workspace.', { isRefusal: true })
    if (kind === 'acknowledge' && openIncidents(chosen).length === 0)
      return announce('There is no open incident to acknowledge here.')
    act.value = { kind, rows: chosen }
  }
  useKeys([
    { key: 'a', words: 'Acknowledge the incident', run: () => begin('acknowledge') },
    { key: 'm', words: 'Maintenance', run: () => begin('maintenance') },
  ])
  const close = () => {
    act.value = null
  }
  return { begin, dialog: act.value && <ActDialog {...act.value} onClose={close} onDone={onDone} /> }
}

/** Buttons of the actions. `canTake`: true if an incident is not acknowledged yet. */
export function ActButtons({ begin, canTake, look }: Pick<Acts, 'begin'> & { canTake: boolean; look?: 'main' }) {
  return (
    <>
      {canTake && (
        <Button look={look} shortcut="a" onClick={() => begin('acknowledge')}>
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
