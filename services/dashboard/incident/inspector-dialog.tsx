// Dialog that sends an incident to the Stately inspector, after a warning that its data leave the installation.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { read, sentenceOf } from '../data/api.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/form/dialog.tsx'
import { type Inspection, inspectorOrigin, startInspection } from './inspection.ts'
import type { IncidentPage } from './page-state.ts'

export function InspectorDialog({ page, onClose }: { page: IncidentPage; onClose(): void }) {
  const inspection = useRef<Inspection | null>(null)
  const sent = useSignal<number | null>(null)
  const newest = page.records.all.value.at(-1)?.sequence ?? 0
  useEffect(() => void inspection.current?.sendNews(), [newest])
  useEffect(() => () => inspection.current?.end(), [])
  const open = () => {
    inspection.current = startInspection(window, after => readInspection(page.id, after), {
      onSent: count => {
        sent.value = count
      },
      onFailure: error => announce(sentenceOf(error), { isRefusal: true }),
    })
    if (inspection.current === null)
      announce('The browser did not open a window. Allow popups of this page.', { isRefusal: true })
    else sent.value = 0
  }
  return (
    <Dialog title="Open in the Stately inspector" onClose={onClose}>
      <p>
        The records of this incident leave for {inspectorOrigin}: its events, states, deadlines and explanations. New records
        follow while this dialog is open.
      </p>
      {sent.value !== null && (
        <p role="status">{sent.value === 0 ? 'Waiting for the inspector.' : `${sent.value} messages sent.`}</p>
      )}
      <div class="acts">
        <Button look="main" onClick={open}>
          {sent.value === null ? 'Send and open' : 'Open again'}
        </Button>
        <Button onClick={onClose}>{sent.value === null ? 'Cancel' : 'Stop'}</Button>
      </div>
    </Dialog>
  )
}

interface InspectionPage {
  messages: { type: string }[]
  more: boolean
}

const readInspection = (id: string, after: number): Promise<InspectionPage> =>
  read(`/session/incidents/${encodeURIComponent(id)}/inspection?after=${after}`)
