// The forms that create and change a signal. Kind and slug of a signal never change.
import { announce } from '../parts/announce.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { answersIn, type FormField } from '../parts/form/field-values.ts'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { jsonIn } from '../parts/json/json-text.ts'
import { kindWords } from '../words/rules.ts'
import { changeSignal, createSignal, type Subject, type SubjectSignal } from './subject.ts'

interface FormProps {
  subject: Subject
  /** The signal to change; null: a new one. */
  signal: SubjectSignal | null
  onDone(): Promise<void>
  onClose(): void
}

const text = { help: '', type: 'string', required: false, min: null, max: null, default: null, options: [] } as const

const kind: FormField = {
  ...{ ...text, key: 'kind', label: 'Reports', type: 'enum', options: ['custom_heartbeat', 'custom_event'] },
  ...{ words: kindWords, default: 'custom_heartbeat', hint: 'This never changes.' },
}
const meta: FormField = {
  ...{ ...text, key: 'meta', label: 'Notes as JSON', form: 'lines', hint: 'Kept as it is, for programs. May be empty.' },
}

export function SignalForm({ subject, signal, onDone, onClose }: FormProps) {
  const address = signal === null ? 'Its address is made of it, and never changes.' : `Its address stays ${signal.id}.`
  const name: FormField = { ...text, key: 'name', label: 'Name', hint: address }
  const fields = signal === null ? [name, kind, meta] : [name, meta]
  const send = async (values: FormData) => {
    const answers = answersIn(fields, values)
    const body = { name: '', ...answers, meta: jsonIn(String(answers['meta'] ?? '{}'), 'meta') }
    const made = await (signal === null ? createSignal(subject, body) : changeSignal(subject, signal.id, body))
    announce(`Signal ${made.name} is ${signal === null ? `added. Report to it as ${made.id}` : 'changed'}.`)
    await onDone()
  }
  const notes = JSON.stringify(signal?.meta ?? {}, null, 2)
  const [title, act] = signal === null ? ['Add a signal', 'Add signal'] : [`Change ${signal.name}`, 'Save']
  return (
    <FormDialog title={title} act={act} fields={['name', 'kind', 'meta']} send={send} onClose={onClose}>
      <FieldsOf fields={fields} answers={{ name: signal?.name, meta: notes === '{}' ? '' : notes }} />
    </FormDialog>
  )
}
