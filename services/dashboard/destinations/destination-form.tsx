// Forms that create and change a destination, drawn from the fields of its type. A secret can be set, but is never shown.

import { useSignal } from '@preact/signals'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'
import { announce } from '../parts/announce.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { ChoiceField, TextField } from '../parts/form/field.tsx'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { textOf } from '../parts/form/form.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { type ListedChannel, type ListedField, membersOf, nameIn, readChannels, settingsOf } from './channels.ts'
import { destinationPath } from './destination.ts'

interface FormProps {
  onDone(): Promise<void>
  onClose(): void
}

type DrawnProps = FormProps & { channels: readonly ListedChannel[] }

const namesOf = (fields: readonly ListedField[]): string[] => [
  'type',
  'name',
  ...fields.map(({ key }) => nameIn(fields)(key)),
  'default',
]

const fieldsOf = (channels: readonly ListedChannel[], type: string): readonly ListedField[] =>
  channels.find(channel => channel.type === type)?.fields ?? []

export const NewDestination = (props: FormProps) => (
  <Shown of={useLoaded(readChannels)}>{channels => <New {...props} channels={channels} />}</Shown>
)

function New({ channels, onDone, onClose }: DrawnProps) {
  const type = useSignal(channels[0]?.type ?? '')
  const fields = fieldsOf(channels, type.value)
  const send = async (values: FormData) => {
    const body = { type: type.peek(), name: textOf(values, 'name'), ...membersOf(fields, values) }
    const made = await askV3<SentDestination>('POST', destinationPath(), body)
    announce(`Destination ${made.name} created${made.default ? ': it is the default' : ''}.`)
    await onDone()
  }
  return (
    <FormDialog title="Add a destination" act="Add destination" fields={namesOf(fields)} send={send} onClose={onClose}>
      <ChoiceField
        name="type"
        label="Type"
        of={channels.map(channel => ({ value: channel.type, word: channel.name }))}
        hint="The type never changes."
        onChange={({ currentTarget: { value } }) => {
          type.value = value
        }}
      />
      <TextField name="name" label="Name" />
      <FieldsOf key={type.value} fields={fields} answers={{}} nameOf={nameIn(fields)} />
    </FormDialog>
  )
}

export const ChangeDestination = (props: FormProps & { changed: SentDestination }) => (
  <Shown of={useLoaded(readChannels)}>{channels => <Change {...props} channels={channels} />}</Shown>
)

function Change({ channels, changed, onDone, onClose }: DrawnProps & { changed: SentDestination }) {
  const fields = fieldsOf(channels, changed.type)
  const present = settingsOf(fields, changed)
  const send = async (values: FormData) => {
    const body = { name: textOf(values, 'name'), ...membersOf(fields, values, present) }
    const { name } = await askV3<SentDestination>('PATCH', destinationPath(changed.id), body)
    announce(`Destination ${name} changed.`)
    await onDone()
  }
  return (
    <FormDialog title={`Change ${changed.name}`} act="Save" fields={namesOf(fields)} send={send} onClose={onClose}>
      <TextField name="name" label="Name" defaultValue={changed.name} />
      <FieldsOf fields={fields} answers={present} nameOf={nameIn(fields)} isChange />
    </FormDialog>
  )
}
