// Dialog before an action. The dialog names everything that the action deletes or ends. At first, the cancel button has the focus.
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './form/dialog.tsx'
import { Form } from './form/form.tsx'

interface ConfirmProps {
  title: string
  /** Text of the button that confirms the action. */
  act: string
  /** Performs the action. If it rejects with a Refusal, the dialog shows the Refusal and stays open. */
  send(): Promise<void>
  onClose(): void
  children: ComponentChildren
}

export function Confirm({ title, act, send, onClose, children }: ConfirmProps) {
  return (
    <FormDialog title={title} act={act} look="danger" fields={[]} send={send} onClose={onClose}>
      {children}
    </FormDialog>
  )
}

interface FormDialogProps extends Omit<ConfirmProps, 'send'> {
  look?: 'main' | 'danger'
  fields: readonly string[]
  send(values: FormData): Promise<void>
}

/** A form in a dialog, which closes once the form is sent. */
export function FormDialog({ title, act, look = 'main', fields, send, onClose, children }: FormDialogProps) {
  const sendAndClose = async (values: FormData) => {
    await send(values)
    onClose()
  }
  const back = (
    <Button look="quiet" autoFocus={look === 'danger'} onClick={onClose}>
      Cancel
    </Button>
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <Form fields={fields} act={act} look={look} send={sendAndClose} beside={back}>
        {children}
      </Form>
    </Dialog>
  )
}
