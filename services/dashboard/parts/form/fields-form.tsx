// Inputs for any list of fields: label, help, bounds and default of each come from the list. Drawn inside a Form.
import type { Location } from '../../administration/location.ts'
import { AreaField, CheckField, ChoiceField, TextField } from './field.tsx'
import { type FieldAnswers, type FormField, isBox, isNumber, type NameOf, textOfAnswer } from './field-values.ts'
import { KeptSecret } from './kept-secret.tsx'
import { LocationChoices, LocationsField } from './locations-field.tsx'

export interface FieldsProps {
  fields: readonly FormField[]
  /** Present answers; empty for something new. */
  answers: FieldAnswers
  nameOf?: NameOf
  /** Whether there are present answers, so that one that is never shown can be kept. */
  isChange?: boolean
  /** Locations to choose from; absent: a field that needs them reads them. */
  locations?: readonly Location[] | undefined
  /** Whether the first of the fields gets the focus. */
  isFirst?: boolean
}

export function FieldsOf({ fields, answers, nameOf = key => key, isChange = false, locations, isFirst = false }: FieldsProps) {
  const given = new Map(Object.entries(answers))
  return (
    <>
      {fields.map((field, index) => {
        const props = { field, name: nameOf(field.key), given: given.get(field.key), isFirst: isFirst && index === 0 }
        const isKept = isChange && field.isWriteOnly === true && (field.required || Boolean(props.given))
        const input = <Input key={field.key} {...props} locations={locations} isKept={isKept} />
        if (!isKept) return input
        return (
          <KeptSecret key={field.key} name={props.name} label={field.label || field.key}>
            {input}
          </KeptSecret>
        )
      })}
    </>
  )
}

interface InputProps {
  field: FormField
  name: string
  given: unknown
  isKept: boolean
  isFirst: boolean
  locations: readonly Location[] | undefined
}

function Input({ field, name, given, isKept, isFirst, locations }: InputProps) {
  const { key, label, type, required, default: usual, min, max, form, example, isWriteOnly = false } = field
  const shown = { name, label: label || key, hint: hintOf(field, isKept) }
  if (isBox(field)) return <CheckField {...shown} defaultChecked={(given ?? usual) === true} />
  if (type === 'location_list') {
    const chosen = (given as string[] | undefined) ?? null
    if (locations === undefined) return <LocationsField {...shown} chosen={chosen} />
    return <LocationChoices {...shown} chosen={chosen} locations={locations} />
  }
  const defaultValue = isWriteOnly ? '' : textOfAnswer(field, given)
  if (type === 'boolean' || type === 'enum') {
    const none = usual === null ? [{ value: '', word: required ? 'Choose one' : 'Not set' }] : []
    return (
      <ChoiceField {...shown} of={[...none, ...choicesOf(field)]} defaultValue={defaultValue || textOfAnswer(field, usual)} />
    )
  }
  // A hint of the field's own may say that an empty input means something else than the default.
  const placeholder = example ?? (field.hint === undefined ? textOfAnswer(field, usual) : '')
  if (type === 'string_list' || type === 'steps' || type === 'text' || form === 'lines')
    return <AreaField {...shown} defaultValue={defaultValue} placeholder={placeholder} rows={3} autoFocus={isKept} />
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
      required={required && usual === null}
      autoFocus={isFirst || isKept}
    />
  )
}

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
  steps: 'One on each line, such as "On call" or "Boss: 10".',
  integer_list: 'With commas between.',
}

/** Returns the help of a field, its unit or form, its bounds, and what an empty input means. */
function hintOf(field: FormField, isKept: boolean): string {
  const { hint, help, type, required, default: usual, min, max, isWriteOnly } = field
  const limits = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])].join(', ')
  const text = textOfAnswer(field, usual).replaceAll('\n', ', ')
  const isTyped = type !== 'enum' && type !== 'boolean'
  const emptyMeans = isTyped && text !== '' ? `Empty: ${text}.` : ''
  if (hint !== undefined) return hint.includes('Empty:') ? hint : `${hint} ${emptyMeans}`.trim()
  return [
    help === '' || /[.!?]$/.test(help) ? help : `${help}.`,
    forms[type] ?? '',
    isNumber(type) && limits !== '' ? `${limits[0]?.toUpperCase()}${limits.slice(1)}.` : '',
    emptyMeans,
    isTyped && usual === null && required ? 'Required.' : '',
    isWriteOnly ? 'It is never shown again.' : '',
    isKept && !required ? 'Empty: there is none any more.' : '',
  ]
    .filter(part => part !== '')
    .join(' ')
}
