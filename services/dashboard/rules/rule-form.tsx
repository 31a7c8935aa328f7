// The form of a rule: its inputs, the number of inputs that must fail, and its delays.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Refusal } from '../data/api.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { ChoiceField, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { documentOf, fieldsOf, type InputFields, type RuleDocument, ruleFields, shortDuration } from './rule-document.ts'
import { InputPart } from './rule-input.tsx'
import type { Subject, SubjectRule } from './subject.ts'
import type { Typed } from './trial.ts'

interface FormProps {
  subject: Subject
  rule: SubjectRule | null
  document: RuleDocument
  onTyped(typed: Typed): void
  /** Saves the rule. Rejects with a Refusal that names a field of the form. */
  save(body: { name: string; document: object }): Promise<void>
}

interface Row {
  key: number
  given: InputFields
}

export function RuleForm({ subject, rule, document, onTyped, save }: FormProps) {
  const rows = useSignal<readonly Row[]>(document.inputs.map((input, key) => ({ key, given: fieldsOf(input) })))
  const frame = useRef<HTMLDivElement>(null)
  const count = rows.value.length
  const tell = () => {
    const form = frame.current?.querySelector('form')
    if (form != null) onTyped(typedIn(new FormData(form), count))
  }
  // Calls `tell` also when an input is added or removed.
  useEffect(tell, [count])
  useEffect(() => frame.current?.querySelector('input')?.focus(), [])
  const send = (values: FormData) => save({ name: textOf(values, 'name'), document: documentOf(values, count) })
  const add = () => {
    const key = 1 + Math.max(-1, ...rows.peek().map(row => row.key))
    rows.value = [...rows.peek(), { key, given: fieldsOf({ signal: subject.signals[0]?.id ?? '' }) }]
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>('fieldset:last-of-type select')?.focus())
  }
  const remove = (key: number) => {
    rows.value = rows.peek().filter(row => row.key !== key)
    frame.current?.querySelector<HTMLElement>('.add-input')?.focus()
  }
  return (
    <div ref={frame} onInput={tell}>
      <Form
        fields={ruleFields(count)}
        act={rule === null ? 'Save rule' : 'Save'}
        send={send}
        beside={<ButtonLink href={`/monitors/${subject.id}/signals`}>Cancel</ButtonLink>}
      >
        <TextField name="name" label="Name" defaultValue={rule?.name ?? ''} placeholder="Backup fails" maxLength={100} />
        {rows.value.map(({ key, given }, i) => (
          <InputPart
            key={key}
            at={i}
            given={given}
            subject={subject}
            self={rule?.id ?? null}
            onRemove={() => remove(key)}
            isOnly={count === 1}
          />
        ))}
        <Button onClick={add}>Add another input</Button>
        <Need document={document} inputs={count} />
        <Waits document={document} />
      </Form>
    </div>
  )
}

function typedIn(values: FormData, inputs: number): Typed {
  try {
    return { document: documentOf(values, inputs) }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}

const needs = [
  { value: 'any', word: 'at least one input fails' },
  { value: 'majority', word: 'more than half of the inputs fail' },
  { value: 'all', word: 'all inputs fail' },
  { value: 'at_least', word: 'a number of inputs fail' },
]

function Need({ document: { decision }, inputs }: { document: RuleDocument; inputs: number }) {
  const need = useSignal(decision.need)
  return (
    <div class="pair">
      <ChoiceField
        name="decision.need"
        label="Problem when"
        of={needs}
        defaultValue={decision.need}
        onChange={({ currentTarget: { value } }) => {
          need.value = value
        }}
      />
      {need.value === 'at_least' && (
        <TextField
          name="decision.at_least"
          label="How many"
          type="number"
          min={1}
          max={inputs}
          defaultValue={String(decision.at_least ?? 1)}
        />
      )}
    </div>
  )
}

function Waits({ document: { wait } }: { document: RuleDocument }) {
  return (
    <div class="pair">
      <TextField
        name="wait.confirm_after"
        label="Confirmation delay"
        defaultValue={shortDuration(wait.confirm_after)}
        hint="A problem that lasts this long notifies. Such as 90s, 5m, 1h30m."
      />
      <TextField
        name="wait.close_after"
        label="Recovery delay"
        defaultValue={shortDuration(wait.close_after)}
        hint="Ok for this long closes the incident."
      />
    </div>
  )
}
