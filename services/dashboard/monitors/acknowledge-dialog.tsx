// Dialog before incidents are acknowledged. An acknowledgement stops the reminders of an incident and cannot be undone.
import { counted } from '../data/format.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/form/dialog.tsx'
import { Form } from '../parts/form/form.tsx'
import { type Acted, acknowledge } from './acts.ts'

interface Props {
  incidents: readonly Acted[]
  /** Called after all acknowledgements were made or refused. */
  onDone?(): void
  onClose(): void
}

export function AcknowledgeDialog({ incidents, onDone, onClose }: Props) {
  const [only] = incidents
  const title = incidents.length === 1 ? `Acknowledge: ${only?.name}` : `Acknowledge ${counted(incidents.length, 'incident')}`
  const send = async () => {
    const { sentence, isRefusal } = await acknowledge(workspaceId.value ?? '', incidents)
    announce(sentence, { isRefusal })
    onDone?.()
    onClose()
  }
  const cancel = <Button onClick={onClose}>Cancel</Button>
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        {incidents.length === 1 ? 'Its reminders stop' : 'Their reminders stop'}, and it is recorded that you took{' '}
        {incidents.length === 1 ? 'it' : 'them'}. This cannot be taken back. The recovery is still sent.
      </p>
      <Form fields={[]} act="Acknowledge" send={send} beside={cancel}>
        {null}
      </Form>
    </Dialog>
  )
}
