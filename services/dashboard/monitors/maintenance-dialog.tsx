// Dialog that starts, moves or ends maintenance of monitors. Before the action, the dialog shows the end of the maintenance and the
// effects.
import { useSignal } from '@preact/signals'
import { now } from '../data/clock.ts'
import { counted, duration, instant } from '../data/format.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/form/dialog.tsx'
import { ChoiceField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import style from '../website/website.page.css'
import { type Acted, endMaintenance, startMaintenance } from './acts.ts'

addPageStyle(style)

interface Props {
  monitors: readonly Acted[]
  /** True if at least one of the monitors is in maintenance now. */
  canEnd: boolean
  /** Called after the server has performed or refused the action. */
  onDone?(): void
  onClose(): void
}

const minuteMs = 60_000
const choices = (most: number, unit: string) =>
  Array.from({ length: most + 1 }, (_, n) => ({ value: String(n), word: counted(n, unit) }))
const days = choices(5, 'day')
const hours = choices(23, 'hour')

export function MaintenanceDialog({ monitors, canEnd, onDone, onClose }: Props) {
  const chosen = useSignal({ days: 0, hours: 1 })
  const minutes = (chosen.value.days * 24 + chosen.value.hours) * 60
  const what = monitors.length === 1 ? monitors[0]?.name : counted(monitors.length, 'monitor')
  const finish = async (act: Promise<{ sentence: string; isRefusal: boolean }>) => {
    const { sentence, isRefusal } = await act
    announce(sentence, { isRefusal })
    onDone?.()
    onClose()
  }
  const workspace = workspaceId.value ?? ''
  const beside = (
    <>
      {canEnd && <Button onClick={() => void finish(endMaintenance(workspace, monitors))}>End maintenance now</Button>}
      <Button onClick={onClose}>Cancel</Button>
    </>
  )
  return (
    <Dialog title={`Maintenance: ${what}`} onClose={onClose}>
      <Form
        fields={['days', 'hours']}
        act={minutes === 0 ? 'Choose a length' : `Start maintenance for ${duration(minutes * minuteMs)}`}
        send={async () => {
          if (minutes > 0) await finish(startMaintenance(workspace, monitors, minutes))
        }}
        beside={beside}
      >
        <div class="pair">
          <ChoiceField
            name="days"
            label="Days"
            of={days}
            defaultValue="0"
            onChange={event => {
              chosen.value = { ...chosen.value, days: Number(event.currentTarget.value) }
            }}
          />
          <ChoiceField
            name="hours"
            label="Hours"
            of={hours}
            defaultValue="1"
            onChange={event => {
              chosen.value = { ...chosen.value, hours: Number(event.currentTarget.value) }
            }}
          />
        </div>
        <p>
          Until {instant(now.value + minutes * minuteMs)} problems are judged as always, but messages about them are held back.
          {canEnd ? ' A window that runs already ends then instead.' : ''}
        </p>
      </Form>
    </Dialog>
  )
}
