// Inputs for any list of fields: label, help, bounds and default of each come from the list. Drawn inside a Form.
import { AreaField, ChoiceField, TextField } from './field.tsx'
import { type FieldAnswers, type FormField, textOfAnswer } from './field-values.ts'

interface FieldsProps {
  fields: readonly FormField[]
  /** Present answers; empty for something new. */
  answers: FieldAnswers
  /** Returns the name of a field's input. */
  nameOf(key: string): string
}

export function FieldsOf({ fields, answers, nameOf }: FieldsProps) {
  return (
    <>
      {fields.map(field => (
        <Input key={field.key} field={field} name={nameOf(field.key)} given={new Map(Object.entries(answers)).get(field.key)} />
      ))}
    </>
  )
}

function Input({ field, name, given }: { field: FormField; name: string; given: unknown }) {
  const { key, label, type, required, default: usual, options, min, max } = field
  const text = textOfAnswer(field, given)
  const shown = { name, label: label || key, hint: hintOf(field) }
  if (type === 'boolean' || type === 'enum') {
    const words = type === 'boolean' ? yesOrNo : options.map(value => ({ value, word: value }))
    const none = { value: '', word: usual === null ? (required ? 'Choose one' : 'Not set') : `Default: ${wordOf(words, usual)}` }
    return <ChoiceField {...shown} of={[none, ...words]} defaultValue={text} />
  }
  if (type === 'string_list')
    return <AreaField {...shown} defaultValue={text} placeholder={textOfAnswer(field, usual)} rows={3} />
  return (
    <TextField
      {...shown}
      {...(isNumber(type) ? { type: 'number', step: type === 'number' ? ('any' as const) : 1 } : {})}
      {...(type === 'url' ? { inputMode: 'url' as const } : {})}
      {...(min === null ? {} : { min })}
      {...(max === null ? {} : { max })}
      defaultValue={text}
      placeholder={textOfAnswer(field, usual)}
      required={required && usual === null}
    />
  )
}

const yesOrNo = [
  { value: 'true', word: 'yes' },
  { value: 'false', word: 'no' },
]

const wordOf = (words: readonly { value: string; word: string }[], value: unknown): string =>
  words.find(one => one.value === String(value))?.word ?? String(value)

const isNumber = (type: FormField['type']): boolean => ['integer', 'number', 'duration', 'duration_seconds'].includes(type)

/** Returns the help of a field, its unit or form, its bounds, and what an empty input means. */
function hintOf({ help, type, required, default: usual, min, max, options }: FormField): string {
  const form: Partial<Record<FormField['type'], string>> = {
    duration: 'In seconds.',
    duration_seconds: 'In seconds.',
    string_list: 'One on each line.',
    integer_list: 'With commas between.',
  }
  const bounds = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])].join(', ')
  const isChosen = type === 'boolean' || options.length > 0
  const empty = usual === null ? (required ? 'Required.' : '') : `Empty: ${textOfAnswer({ type }, usual).replaceAll('\n', ', ')}.`
  return [
    help === '' || /[.!?]$/.test(help) ? help : `${help}.`,
    form[type] ?? '',
    bounds === '' ? '' : `${bounds[0]?.toUpperCase()}${bounds.slice(1)}.`,
    isChosen && usual !== null ? '' : empty,
  ]
    .filter(part => part !== '')
    .join(' ')
}
