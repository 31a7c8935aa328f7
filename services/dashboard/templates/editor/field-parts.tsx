// The parts of one field of a Template in the editor: its key, its type, its default and its bounds.
import { useSignal } from '@preact/signals'
import { Labelled } from '../../parts/form/field.tsx'
import { itemsAt, textAt, valueAt } from './draft.ts'
import { answerOf } from './editor.ts'
import { ChoiceAt, NumberAt, SelectAt, TextAt, useEditing, usePlace } from './place-fields.tsx'

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
  { value: 'url', word: 'URL' },
  { value: 'location_list', word: 'locations' },
  { value: 'text', word: 'text of several lines' },
  { value: 'secret', word: 'secret' },
]
const numeric = ['integer', 'number', 'duration', 'duration_seconds']

/** A Template states no secret, and no Location of one installation. */
const withoutDefault = ['secret', 'location_list']

export function FieldParts({ at }: { at: string }) {
  const { editor } = useEditing()
  const type = textAt(editor.draft.value, `${at}.type`)
  return (
    <>
      <div class="editor-row">
        <TextAt at={`${at}.key`} label="Key" />
        <ChoiceAt at={`${at}.type`} label="Type" of={fieldTypes} />
        <TextAt at={`${at}.label`} label="Label" isOptional />
        {!withoutDefault.includes(type) && <DefaultAt at={`${at}.default`} type={type} />}
        <RequiredAt at={`${at}.required`} />
        {type === 'enum' && <OptionsAt at={`${at}.options`} />}
        {numeric.includes(type) && <NumberAt at={`${at}.min`} label="At least" isOptional />}
        {numeric.includes(type) && <NumberAt at={`${at}.max`} label="At most" isOptional />}
      </div>
      <TextAt at={`${at}.help`} label="Help" isOptional />
    </>
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
