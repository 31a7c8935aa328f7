// The fields of one input of a rule: the signal or rule that the input reads, the condition of a failure, labels, and the longest silence.
import { useSignal } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { AreaField, ChoiceField, TextField } from '../parts/form/field.tsx'
import { type InputFields, inputField } from './rule-document.ts'
import type { Subject } from './subject.ts'

interface InputProps {
  /** Index of the input. */
  at: number
  given: InputFields
  subject: Subject
  /** The rule that the form changes; null: a new rule. A rule cannot read itself. */
  self: string | null
  isOnly: boolean
  onRemove(): void
}

const modes = [
  { value: 'status', word: 'reports a problem' },
  { value: '>', word: 'reports a number above' },
  { value: '<', word: 'reports a number below' },
]

export function InputPart({ at, given, subject, self, isOnly, onRemove }: InputProps) {
  const of = useSignal(given.of)
  const mode = useSignal(given.mode)
  const isSignal = of.value.startsWith('signal:')
  const kind = subject.signals.find(({ id }) => `signal:${id}` === of.value)?.signal_kind
  return (
    <fieldset>
      <legend>Input {at + 1}</legend>
      <div class="pair">
        <ChoiceField
          name={inputField(at, 'of')}
          label="Reads"
          of={readable(subject, self)}
          defaultValue={given.of}
          onChange={({ currentTarget: { value } }) => {
            of.value = value
          }}
        />
        {isSignal && (
          <ChoiceField
            name={inputField(at, 'mode')}
            label="Fails when it"
            of={modes}
            defaultValue={given.mode}
            onChange={({ currentTarget: { value } }) => {
              mode.value = value
            }}
          />
        )}
      </div>
      {!isSignal && <p class="hint">It fails while that rule says problem. Where that rule has no data, it is unknown.</p>}
      {isSignal && mode.value !== 'status' && (
        <TextField
          name={inputField(at, 'threshold')}
          label={mode.value === '>' ? 'Above' : 'Below'}
          inputMode="text"
          defaultValue={given.threshold}
          hint="A report without a number is unknown."
        />
      )}
      {isSignal && <Further at={at} given={given} kind={kind} />}
      {!isOnly && (
        <div class="acts">
          <Button onClick={onRemove}>Remove input {at + 1}</Button>
        </div>
      )}
    </fieldset>
  )
}

function Further({ at, given, kind }: { at: number; given: InputFields; kind: string | undefined }) {
  return (
    <>
      {kind === 'custom_event' ? (
        <p class="hint">An event is never silent: it keeps what it last said.</p>
      ) : (
        <TextField
          name={inputField(at, 'no_data_after')}
          label="Silent after"
          defaultValue={given.no_data_after}
          hint={`Without a report for this long it is unknown. Empty: ${kind === 'platform_http' ? 'three intervals' : '5 minutes'}.`}
        />
      )}
      <details class="part-of-form" open={given.match !== ''}>
        <summary>Only some labels</summary>
        <AreaField
          name={inputField(at, 'match')}
          label={kind === 'platform_http' ? 'Labels (location=name)' : 'Labels'}
          rows={2}
          defaultValue={given.match}
          hint="One a line, as in host=db1; host=* is any value. Empty: the newest report of the signal, whatever its labels."
        />
      </details>
    </>
  )
}

function readable({ signals, rules }: Subject, self: string | null): { value: string; word: string }[] {
  const others = rules.filter(({ id }) => id !== self)
  return [
    ...signals.map(({ id, name }) => ({ value: `signal:${id}`, word: name })),
    ...others.map(({ id, name }) => ({ value: `rule:${id}`, word: `the rule ${name}` })),
  ]
}
