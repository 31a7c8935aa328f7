// Inputs for any list of fields: label, help, bounds and default of each come from the list. Drawn inside a Form.
import { AreaField, CheckField, ChoiceField, TextField } from './field.tsx'
import { type FieldAnswers, type FormField, isBox, isNumber, type NameOf, textOfAnswer } from './field-values.ts'
import { LocationsField } from './locations-field.tsx'

interface FieldsProps {
  fields: readonly FormField[]
  /** Present answers; empty for something new. */
  answers: FieldAnswers
  nameOf?: NameOf
  /** Whether there are present answers, so that one that is never shown can be kept. */
  isChange?: boolean
}

export function FieldsOf({ fields, answers, nameOf = key => key, isChange = false }: FieldsProps) {
  const given = new Map(Object.entries(answers))
  return (
    <>
      {fields.map(field => (
        <Input key={field.key} field={field} name={nameOf(field.key)} given={given.get(field.key)} isChange={isChange} />
      ))}
    </>
  )
}

interface InputProps {
  field: FormField
  name: string
  given: unknown
  isChange: boolean
}

function Input({ field, name, given, isChange }: InputProps) {
  const { key, label, type, required, default: usual, min, max, form, isWriteOnly = false } = field
  const isKept = isWriteOnly && isChange
  const shown = { name, label: isKept ? `New ${label}` : label || key, hint: isKept ? keptHint : hintOf(field) }
  if (isBox(field)) return <CheckField {...shown} defaultChecked={(given ?? usual) === true} />
  if (type === 'location_list') return <LocationsField {...shown} chosen={(given as string[] | undefined) ?? null} />
  const defaultValue = isWriteOnly ? '' : textOfAnswer(field, given)
  if (type === 'boolean' || type === 'enum') {
    const none = usual === null ? [{ value: '', word: required ? 'Choose one' : 'Not set' }] : []
    return (
      <ChoiceField {...shown} of={[...none, ...choicesOf(field)]} defaultValue={defaultValue || textOfAnswer(field, usual)} />
    )
  }
  // A hint of the field's own may say that an empty input means something else than the default.
  const placeholder = field.hint === undefined ? textOfAnswer(field, usual) : ''
  if (type === 'string_list' || type === 'text' || type === 'secret' || form === 'lines')
    return <AreaField {...shown} defaultValue={defaultValue} placeholder={placeholder} rows={3} />
  return (
    <TextField
      {...shown}
      {...(isNumber(type) ? { type: 'number' as const, step: type === 'number' ? ('any' as const) : 1 } : {})}
      {...(type === 'url' ? { type: 'url' as const, inputMode: 'url' as const } : {})}
      {...(isWriteOnly ? { autoComplete: 'off', ...(type === 'url' ? {} : { type: 'password' as const }) } : {})}
      {...(isNumber(type) && min !== null ? { min } : {})}
      {...(isNumber(type) && max !== null ? { max } : {})}
      defaultValue={defaultValue}
      placeholder={placeholder}
      required={required && usual === null && !isKept}
    />
  )
}

const keptHint = 'Leave it empty to keep the present one, which is never shown.'

const choicesOf = ({ type, options, words }: FormField) =>
  type === 'boolean' ? yesOrNo : options.map(value => ({ value, word: words?.[value] ?? value }))

const yesOrNo = [
  { value: 'true', word: 'yes' },
  { value: 'false', word: 'no' },
]

const forms: Partial<Record<FormField['type'], string>> = {
  duration: 'In seconds.',
  duration_seconds: 'In seconds.',
  string_list: 'One on each line.',
  integer_list: 'With commas between.',
}

/** Returns the help of a field, its unit or form, its bounds, and what an empty input means. */
function hintOf(field: FormField): string {
  const { hint, help, type, required, default: usual, min, max, isWriteOnly } = field
  if (hint !== undefined) return hint
  const limits = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])].join(', ')
  const text = textOfAnswer(field, usual).replaceAll('\n', ', ')
  const isTyped = type !== 'enum' && type !== 'boolean'
  return [
    help === '' || /[.!?]$/.test(help) ? help : `${help}.`,
    forms[type] ?? '',
    isNumber(type) && limits !== '' ? `${limits[0]?.toUpperCase()}${limits.slice(1)}.` : '',
    isTyped && text !== '' ? `Empty: ${text}.` : '',
    isTyped && usual === null && required ? 'Required.' : '',
    isWriteOnly ? 'It is never shown again.' : '',
  ]
    .filter(part => part !== '')
    .join(' ')
}
