// Maintenance of a monitor. Shows the machine of the running window with its deadline, the effects of the window's end, and the window's
// steps so far.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../../data/clock.ts'
import { may } from '../../data/session.ts'
import { fittingLayout } from '../../drawing/layouts.ts'
import { Stage } from '../../drawing/stage.tsx'
import { Button } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { addPageStyle } from '../../parts/page-style.ts'
import { Countdown, Time } from '../../parts/time.tsx'
import style from './maintenance.page.css'
import { stepWords, type Window, windowLife } from './window.ts'

addPageStyle(style)

const MaintenanceDialog = lazy(() => import('../../monitors/dialogs.ts').then(it => it.MaintenanceDialog))

export function Maintenance({ detail, onChanged }: { detail: MonitorDetail; onChanged(): void }) {
  const window = detail.window as Window | null
  return (
    <>
      {window === null ? <p class="dim">No window runs. Messages about problems are sent.</p> : <Running window={window} />}
      {may('editor') && detail.row !== null && (
        <Change id={detail.row.id} name={detail.row.name} isRunning={window !== null} onChanged={onChanged} />
      )}
    </>
  )
}

function Running({ window }: { window: Window }) {
  const layout = useMemo(() => fittingLayout('maintenance'), [])
  const life = windowLife(window, now.value)
  const { deadlineAt } = window.context
  return (
    <div class="window-machine">
      <Stage
        layout={layout.value}
        life={life}
        label={`State machine of the maintenance window, running. ${life.due?.text ?? ''}`}
        name="Drawing of the maintenance window"
      />
      <div>
        {deadlineAt !== null && (
          <p>
            <b>Next:</b> at <Time at={deadlineAt} isLong /> (in <Countdown at={deadlineAt} />) it runs out. Nobody is notified of
            that. A problem that was held back is sent with the next reminder.
          </p>
        )}
        <ol class="plain-list">
          {stepWords(window, now.value).map(({ at, words }) => (
            <li key={at}>
              <Time at={at} /> {words}
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

interface ChangeProps {
  id: string
  name: string
  isRunning: boolean
  onChanged(): void
}

function Change({ id, name, isRunning, onChanged }: ChangeProps) {
  const isOpen = useSignal(false)
  return (
    <p class="acts">
      <Button
        onClick={() => {
          isOpen.value = true
        }}
      >
        {isRunning ? 'Move or end maintenance' : 'Start maintenance'}
      </Button>
      {isOpen.value && (
        <MaintenanceDialog
          monitors={[{ id, name }]}
          canEnd={isRunning}
          onDone={onChanged}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </p>
  )
}
