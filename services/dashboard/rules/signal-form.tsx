// The forms that create and change a signal. Kind and slug of a signal never change.
import { Refusal } from '../data/api.ts'
import { announce } from '../parts/announce.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { AreaField, ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { changeSignal, createSignal, type Subject, type SubjectSignal } from './subject.ts'

interface FormProps {
  subject: Subject
  onDone(): Promise<void>
  onClose(): void
}

export const kindWords: Readonly<Record<SubjectSignal['signal_kind'], string>> = {
  custom_heartbeat: 'Reports on a schedule; silence can become no data.',
  custom_event: 'Reports when something happens; silence means nothing.',
  platform_http: 'The checks of this website.',
}

const fields = ['name', 'kind', 'meta']

export function NewSignal({ subject, onDone, onClose }: FormProps) {
  const send = async (values: FormData) => {
    const body = { name: textOf(values, 'name'), kind: textOf(values, 'kind'), meta: metaOf(values) }
    const made = await createSignal(subject, body)
    announce(`Signal ${made.name} is added. Report to it as ${made.id}.`)
    await onDone()
  }
  return (
    <FormDialog title="Add a signal" act="Add signal" fields={fields} send={send} onClose={onClose}>
      <TextField
        name="name"
        label="Name"
        placeholder="Run"
        maxLength={100}
        hint="Its address is made of it, and never changes."
      />
      <ChoiceField
        name="kind"
        label="Reports"
        of={[
          { value: 'custom_heartbeat', word: 'on a schedule: silence can become no data' },
          { value: 'custom_event', word: 'when something happens: silence means nothing' },
        ]}
        hint="This never changes."
      />
      <Meta />
    </FormDialog>
  )
}

export function ChangeSignal({ subject, signal, onDone, onClose }: FormProps & { signal: SubjectSignal }) {
  const send = async (values: FormData) => {
    const body = { name: textOf(values, 'name'), meta: metaOf(values) }
    const { name } = await changeSignal(subject, signal.id, body)
    announce(`Signal ${name} is changed.`)
    await onDone()
  }
  return (
    <FormDialog title={`Change ${signal.name}`} act="Save" fields={fields} send={send} onClose={onClose}>
      <TextField name="name" label="Name" maxLength={100} defaultValue={signal.name} hint={`Its address stays ${signal.id}.`} />
      <Meta present={signal.meta} />
    </FormDialog>
  )
}

function Meta({ present = {} }: { present?: object }) {
  const text = Object.keys(present).length === 0 ? '' : JSON.stringify(present, null, 2)
  return (
    <AreaField name="meta" label="Notes as JSON" rows={3} defaultValue={text} hint="Kept as it is, for programs. May be empty." />
  )
}

function metaOf(values: FormData): object {
  const text = textOf(values, 'meta')
  if (text === '') return {}
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {
    // Said below.
  }
  throw new Refusal(422, '', 'Write a JSON object, as in {"host": "db1"}.', 'meta')
}
