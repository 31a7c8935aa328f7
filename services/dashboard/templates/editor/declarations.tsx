// The first parts of the editor: the Template's name, its fields, and its signals.
import { useSignal } from '@preact/signals'
import { Labelled } from '../../parts/form/field.tsx'
import { itemsAt, textAt, valueAt } from './draft.ts'
import { answerOf } from './editor.ts'
import { ChoiceAt, ListAt, NumberAt, SelectAt, TextAt, useEditing, usePlace } from './place-fields.tsx'

export function Names({ isKeyFixed }: { isKeyFixed: boolean }) {
  return (
    <>
      {!isKeyFixed && (
        <TextAt at="key" label="Key" hint="Small letters, digits and . _ -, such as nightly-backup. It never changes." />
      )}
      <TextAt at="name" label="Name" />
      <TextAt at="summary" label="Summary" isOptional />
    </>
  )
}

const fieldTypes = [
  { value: 'duration', word: 'duration in seconds' },
  { value: 'number', word: 'number' },
  { value: 'integer', word: 'whole number' },
  { value: 'string', word: 'text' },
  { value: 'boolean', word: 'yes or no' },
  { value: 'enum', word: 'one of several texts' },
  { value: 'string_list', word: 'list of texts' },
  { value: 'integer_list', word: 'list of whole numbers' },
  { value: 'duration_seconds', word: 'duration_seconds' },
]
const numeric = ['integer', 'number', 'duration', 'duration_seconds']

export function FieldList() {
  const { editor } = useEditing()
  return (
    <ListAt at="fields" noun="Answer" most={32} isOptional fresh={() => ({ key: '', type: 'duration', default: 300 })}>
      {at => {
        const type = textAt(editor.draft.value, `${at}.type`)
        return (
          <>
            <div class="editor-row">
              <TextAt at={`${at}.key`} label="Key" />
              <ChoiceAt at={`${at}.type`} label="Type" of={fieldTypes} />
              <TextAt at={`${at}.label`} label="Label" isOptional />
              <DefaultAt at={`${at}.default`} type={type} />
              <RequiredAt at={`${at}.required`} />
              {type === 'enum' && <OptionsAt at={`${at}.options`} />}
              {numeric.includes(type) && <NumberAt at={`${at}.min`} label="At least" isOptional />}
              {numeric.includes(type) && <NumberAt at={`${at}.max`} label="At most" isOptional />}
            </div>
            <TextAt at={`${at}.help`} label="Help" isOptional />
          </>
        )
      }}
    </ListAt>
  )
}

function DefaultAt({ at, type }: { at: string; type: string }) {
  const { editor } = useEditing()
  if (numeric.includes(type)) return <NumberAt at={at} label="Default" isOptional />
  const value = valueAt(editor.draft.value, at)
  if (type === 'boolean') {
    const choose = (text: string) => editor.set(at, text === '' ? undefined : text === 'true')
    const of = [none, { value: 'true', word: 'yes' }, { value: 'false', word: 'no' }]
    return <SelectAt at={at} label="Default" of={of} value={value === undefined ? '' : String(value)} onChoose={choose} />
  }
  return type.endsWith('_list') ? (
    <ListTextAt at={at} label="Default" type={type} />
  ) : (
    <TextAt at={at} label="Default" isOptional />
  )
}

const none = { value: '', word: 'none' }

function RequiredAt({ at }: { at: string }) {
  const { editor } = useEditing()
  const isRequired = valueAt(editor.draft.value, at) === true
  return (
    <SelectAt
      at={at}
      label="Each monitor answers"
      of={[
        { value: '', word: 'if it wants to' },
        { value: 'required', word: 'always' },
      ]}
      value={isRequired ? 'required' : ''}
      onChoose={value => editor.set(at, value === '' ? undefined : true)}
    />
  )
}

const OptionsAt = ({ at }: { at: string }) => <ListTextAt at={at} label="Options" type="string_list" />

/** Input for a list, as one line with commas. The typed text stays unchanged while it means the same list as the draft. */
function ListTextAt({ at, label, type }: { at: string; label: string; type: string }) {
  const { editor } = useEditing()
  usePlace(at)
  const text = itemsAt(editor.draft.value, at).join(', ')
  const typed = useSignal(text)
  const isSame = JSON.stringify(listOf(type, typed.value)) === JSON.stringify(itemsAt(editor.draft.value, at))
  return (
    <Labelled name={at} label={label} hint="With commas between.">
      {props => (
        <input
          {...props}
          class="input"
          name={at}
          value={isSame ? typed.value : text}
          onInput={({ currentTarget: { value } }) => {
            typed.value = value
            const items = listOf(type, value)
            editor.set(at, items.length === 0 ? undefined : items)
          }}
        />
      )}
    </Labelled>
  )
}

const listOf = (type: string, text: string): readonly unknown[] => {
  const value = text.trim() === '' ? [] : answerOf(type, text.replace(/,\s*$/, ''))
  return Array.isArray(value) ? value : []
}

const kinds = [
  { value: 'heartbeat', word: 'heartbeat: it says that it lives' },
  { value: 'periodic', word: 'periodic: a value again and again' },
  { value: 'event', word: 'event: now and then' },
]

/** Offered only where the Template has it already: its options are edited in the file of the Template. */
const ofChecks = { value: 'check', word: 'check: probers make it, as the file says' }

export function SignalList() {
  const { editor } = useEditing()
  return (
    <ListAt at="signals" noun="Signal" most={16} fresh={() => ({ key: '', kind: 'heartbeat', every_seconds: 60 })}>
      {at => {
        const kind = textAt(editor.draft.value, `${at}.kind`)
        const isCheck = kind === ofChecks.value
        return (
          <div class="editor-row">
            <TextAt at={`${at}.key`} label="Key" />
            <SelectAt
              at={`${at}.kind`}
              label="Kind"
              of={isCheck ? [...kinds, ofChecks] : kinds}
              value={kind}
              onChoose={chosen => {
                // A signal of the kind event has no period; every other kind needs a period.
                editor.set(`${at}.kind`, chosen)
                const period = valueAt(editor.draft.peek(), `${at}.every_seconds`)
                editor.set(`${at}.every_seconds`, chosen === 'event' ? undefined : (period ?? 60))
              }}
            />
            {kind !== 'event' && !isCheck && (
              <NumberAt at={`${at}.every_seconds`} label="Every, seconds" hint="Silent after three times as long." />
            )}
            <TextAt at={`${at}.help`} label="Help" isOptional />
          </div>
        )
      }}
    </ListAt>
  )
}
