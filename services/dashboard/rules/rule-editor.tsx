// The document of a rule as JSON, beside what the rule would say now. People who may not change the rule only read it.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Refusal } from '../data/api.ts'
import { may } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { goTo, JsonArea } from '../parts/json/json-area.tsx'
import { jsonIn, refusedFault } from '../parts/json/json-text.ts'
import { guardUnsaved } from '../parts/unsaved.ts'
import { ruleLanguage } from '../words/rules.ts'
import { type Subject, type SubjectRule, saveRule } from './subject.ts'
import { useTrial } from './trial.ts'
import { TrialPanel } from './trial-panel.tsx'

interface EditorProps {
  subject: Subject
  /** The rule as it was when it was opened; null: a new rule. */
  rule: SubjectRule | null
  onSaved(saved: SubjectRule): Promise<void>
  /** The person wants to leave; typed text may be unsaved. */
  onLeave(): void
}

/** The document of a new rule: a first one to change. */
const exampleOf = ({ signals: [first] }: Subject) => ({
  inputs: [
    { signal: first?.id ?? '', mode: 'status', ...(first?.signal_kind === 'custom_event' ? {} : { no_data_after: '10m' }) },
  ],
  decision: { need: 'any' },
  wait: { confirm_after: '2m', close_after: '2m' },
})

export function RuleEditor({ subject, rule, onSaved, onLeave }: EditorProps) {
  const first = JSON.stringify(rule?.document ?? exampleOf(subject), null, 2)
  const text = useSignal(first)
  const name = useSignal(rule?.name ?? '')
  const refused = useSignal<{ text: string; refusal: Refusal } | null>(null)
  const frame = useRef<HTMLDivElement>(null)
  const trial = useTrial(subject, rule?.id ?? null, text.value)
  const fault = useComputed(() => {
    const atSave = refused.value?.text === text.value ? refused.value.refusal : null
    return refusedFault(text.value, 'document', atSave ?? trial.failure.value)
  })
  const mayChange = may('editor')
  useEffect(() => guardUnsaved(() => mayChange && (text.peek() !== first || name.peek() !== (rule?.name ?? ''))), [])
  useEffect(() => frame.current?.querySelector<HTMLElement>(rule === null ? 'input' : 'textarea')?.focus(), [])
  const send = async () => {
    const typed = text.peek()
    refused.value = null
    try {
      const body = { name: name.peek().trim(), document: jsonIn(typed, 'document') }
      const saved = await saveRule(subject, rule?.id ?? null, body)
      announce(`Rule ${saved.name} is saved. It judges from now on.`)
      await onSaved(saved)
    } catch (error) {
      if (!(error instanceof Refusal) || error.field === null || error.field === 'name') throw error
      refused.value = { text: typed, refusal: error }
      const area = frame.current?.querySelector('textarea')
      const place = fault.value?.place ?? null
      if (area != null && place !== null) goTo(area, place)
      else area?.focus()
    }
  }
  const area = (
    <JsonArea
      name="document"
      label="Document"
      value={text.value}
      fault={fault.value}
      isReadOnly={!mayChange}
      onInput={typed => (text.value = typed)}
    />
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves from every part of the editor
    <div class="rule-editor" ref={frame} onKeyDown={({ key }) => key === 'Escape' && onLeave()}>
      {mayChange ? (
        <Form fields={['name']} act="Save rule" send={send} beside={<Button onClick={onLeave}>Cancel</Button>}>
          <TextField
            name="name"
            label="Name"
            defaultValue={name.peek()}
            placeholder="Backup fails"
            maxLength={100}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
          {area}
          <details>
            <summary>What a document says</summary>
            <pre>{ruleLanguage}</pre>
          </details>
        </Form>
      ) : (
        <div>
          {area}
          <Button onClick={onLeave}>Close</Button>
        </div>
      )}
      <TrialPanel subject={subject} trial={trial} isFault={fault.value !== null} />
    </div>
  )
}
