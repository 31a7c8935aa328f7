// Forms that create and change a destination. The URL can be set, but is never shown.

import { useSignal } from '@preact/signals'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'
import { announce } from '../parts/announce.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { CheckField, ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { destinationPath } from './destination.ts'

interface FormProps {
  onDone(): Promise<void>
  onClose(): void
}

const fields = ['type', 'name', 'url', 'channel', 'send_on_open', 'default']

export function NewDestination({ onDone, onClose }: FormProps) {
  const type = useSignal<SentDestination['type']>('slack')
  const send = async (values: FormData) => {
    const body = { type: type.peek(), url: textOf(values, 'url'), ...textsOf(values, type.peek()) }
    const made = await askV3<SentDestination>('POST', destinationPath(), body)
    announce(`Destination ${made.name} created${made.default ? ': it is the default' : ''}.`)
    await onDone()
  }
  return (
    <FormDialog title="Add a destination" act="Add destination" fields={fields} send={send} onClose={onClose}>
      <ChoiceField
        name="type"
        label="Type"
        of={[
          { value: 'slack', word: 'Slack' },
          { value: 'webhook', word: 'Webhook' },
        ]}
        hint="The type never changes."
        onChange={({ currentTarget: { value } }) => {
          type.value = value === 'webhook' ? 'webhook' : 'slack'
        }}
      />
      <TextField name="name" label="Name" />
      <TextField
        name="url"
        label="URL"
        type="url"
        inputMode="url"
        autoComplete="off"
        hint="Messages are posted to it. It is never shown again."
      />
      <TypeFields type={type.value} />
    </FormDialog>
  )
}

export function ChangeDestination({ changed, onDone, onClose }: FormProps & { changed: SentDestination }) {
  const send = async (values: FormData) => {
    const url = textOf(values, 'url')
    const body = { ...textsOf(values, changed.type), ...(url === '' ? {} : { url }) }
    const { name } = await askV3<SentDestination>('PATCH', destinationPath(changed.id), body)
    announce(`Destination ${name} changed.`)
    await onDone()
  }
  return (
    <FormDialog title={`Change ${changed.name}`} act="Save" fields={fields} send={send} onClose={onClose}>
      <TextField name="name" label="Name" defaultValue={changed.name} />
      <TextField
        name="url"
        label="New URL"
        type="url"
        inputMode="url"
        autoComplete="off"
        hint="Leave it empty to keep the present URL, which is never shown."
      />
      <TypeFields type={changed.type} present={changed} />
    </FormDialog>
  )
}

/** Returns the members of a request body that a destination of this type has. */
const textsOf = (values: FormData, type: SentDestination['type']): object => ({
  name: textOf(values, 'name'),
  ...(type === 'slack' ? { channel: textOf(values, 'channel') } : { send_on_open: values.has('send_on_open') }),
})

function TypeFields({ type, present }: { type: SentDestination['type']; present?: SentDestination }) {
  if (type === 'slack') {
    const hint = 'Only if the messages belong to another channel than the one of the URL.'
    return <TextField name="channel" label="Channel" defaultValue={present?.channel ?? ''} hint={hint} />
  }
  return (
    <CheckField
      name="send_on_open"
      label="Also send when an incident opens"
      defaultChecked={present?.send_on_open ?? false}
      hint="Before it is confirmed. Many such incidents close by themselves."
    />
  )
}
