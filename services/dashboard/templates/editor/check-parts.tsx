// The parts of a signal that is checked: what is checked and how often, from where, and the options of its kind, each a value or the answer
// to a field.
import { useEffect, useMemo } from 'preact/hooks'
import { type Section, sections } from '#shared/checks/sections.ts'
import { answersIn } from '../../parts/form/field-values.ts'
import { FieldsOf } from '../../parts/form/fields-form.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { type ListedKind, type ListedOption, readKinds } from '../../resource/check-kinds.ts'
import {
  agreementFields,
  examplesFor,
  fieldsTaken,
  isOnlySecret,
  locationFields,
  statedOf,
  valueFieldOf,
  withCheckType,
  withNewAnswer,
  withNewLocations,
} from './check-draft.ts'
import { isObject, itemsAt, textAt, valueAt } from './draft.ts'
import { AmountAt, SelectAt, useEditing, usePlace } from './place-fields.tsx'

export function CheckParts({ at }: { at: string }) {
  const kinds = useLoaded(() => readKinds('whole'))
  return <Shown of={kinds}>{known => <Check at={at} kinds={known} />}</Shown>
}

function Check({ at, kinds }: { at: string; kinds: readonly ListedKind[] }) {
  const { editor } = useEditing()
  usePlace(`${at}.check`)
  const draft = editor.draft.value
  const type = textAt(draft, `${at}.check.type`)
  const kind = kinds.find(one => one.type === type)
  useExamples(at, kind?.options ?? [])
  const choose = (chosen: string) => {
    const options = kinds.find(one => one.type === chosen)?.options ?? []
    editor.replace(withCheckType(editor.draft.peek(), at, chosen, options))
  }
  return (
    <>
      <div class="editor-row">
        <SelectAt
          at={`${at}.check.type`}
          label="What is checked"
          hint={kind?.help}
          of={kinds.map(({ type: value, watches: word }) => ({ value, word }))}
          value={type}
          onChoose={choose}
        />
        <AmountAt at={`${at}.every_seconds`} label="Checked every, seconds" hint="From each location." />
        {kind !== undefined && <LocationsAt at={at} />}
        {kind !== undefined && <AgreementAt at={at} />}
      </div>
      {/* The inputs of values hold what was typed: another signal at this place, or another type, gets inputs of its own. */}
      {kind !== undefined && <Options key={`${type} ${itemsAt(draft, 'signals').length}`} at={at} options={kind.options} />}
    </>
  )
}

/** Gives the preview examples of answers that nobody has given, so that a draft is judged before a person thinks of any. */
function useExamples(at: string, options: readonly ListedOption[]): void {
  const { editor } = useEditing()
  const draft = editor.draft.value
  useEffect(() => {
    for (const [key, example] of examplesFor(draft, at, options)) {
      if (editor.answers.peek()[key] === undefined) editor.answer(key, example)
    }
  }, [draft, options])
}

const fresh = '+'
const newAnswer = { value: fresh, word: 'a new answer' }
const answers = (keys: readonly string[]) => keys.map(value => ({ value, word: `the answer ${value}` }))

function LocationsAt({ at }: { at: string }) {
  const { editor } = useEditing()
  usePlace(`${at}.locations`)
  const draft = editor.draft.value
  const choose = (key: string) =>
    key === fresh ? editor.replace(withNewLocations(editor.draft.peek(), at)) : editor.set(`${at}.locations`, { meta: key })
  return (
    <SelectAt
      at={`${at}.locations.meta`}
      label="From the locations of"
      of={[...answers(locationFields(draft)), newAnswer]}
      value={textAt(draft, `${at}.locations.meta`)}
      onChoose={choose}
    />
  )
}

const agreed = [
  { value: 'any', word: 'at one location' },
  { value: 'majority', word: 'at more than half' },
  { value: 'all', word: 'at all locations' },
]
/** Before the key of a field, which may be called like an agreement. */
const ofField = 'answer '

function AgreementAt({ at }: { at: string }) {
  const { editor } = useEditing()
  const place = `${at}.agreement`
  const draft = editor.draft.value
  const stated = valueAt(draft, place)
  const fields = agreementFields(draft).map(key => ({ value: ofField + key, word: `as the answer ${key} says` }))
  const choose = (chosen: string) =>
    editor.set(place, chosen.startsWith(ofField) ? { meta: chosen.slice(ofField.length) } : chosen)
  return (
    <SelectAt
      at={place}
      label="A rule must hold"
      of={[...agreed, ...fields]}
      value={isObject(stated) ? ofField + textAt(stated, 'meta') : textAt(draft, place) || 'any'}
      onChoose={choose}
    />
  )
}

interface OptionsProps {
  at: string
  options: readonly ListedOption[]
}

function Options({ at, options }: OptionsProps) {
  const { editor } = useEditing()
  const take = (form: HTMLFormElement, name: string) => {
    const option = options.find(({ key }) => `${at}.check.${key}` === name)
    if (option === undefined) return
    const read = answersIn([valueFieldOf(option)], new FormData(form), () => name)
    editor.set(name, statedOf(option, read[option.key]))
  }
  const inSection = (section: Section | null) => options.filter(one => one.section === section)
  return (
    <form
      class="editor-form"
      onSubmit={event => event.preventDefault()}
      onInput={({ currentTarget, target }) => take(currentTarget, (target as HTMLInputElement).name)}
    >
      <OptionList at={at} options={inSection(null)} />
      {(Object.entries(sections) as [Section, string][]).map(([section, name]) => (
        <FoldedOptions key={section} name={name} at={at} options={inSection(section)} />
      ))}
    </form>
  )
}

function FoldedOptions({ name, at, options }: OptionsProps & { name: string }) {
  const { editor } = useEditing()
  const isOpen = useMemo(() => options.some(({ key }) => valueAt(editor.draft.peek(), `${at}.check.${key}`) != null), [])
  if (options.length === 0) return null
  return (
    <details class="folded" open={isOpen}>
      <summary>{name}</summary>
      <OptionList at={at} options={options} />
    </details>
  )
}

const OptionList = ({ at, options }: OptionsProps) => (
  <div class="editor-row">
    {options.map(option => (
      <OptionAt key={option.key} at={at} option={option} />
    ))}
  </div>
)

function OptionAt({ at, option }: { at: string; option: ListedOption }) {
  const { editor } = useEditing()
  const place = `${at}.check.${option.key}`
  usePlace(place)
  const draft = editor.draft.value
  const stated = valueAt(draft, place)
  const isField = isObject(stated)
  const hasNoValue = isOnlySecret(option)
  const choose = (key: string) => {
    if (key !== fresh) return editor.set(place, key === '' ? undefined : { meta: key })
    editor.replace(withNewAnswer(editor.draft.peek(), at, option))
  }
  return (
    <div class="editor-amount">
      <SelectAt
        at={isField ? `${place}.meta` : `${place}.source`}
        label={option.label}
        hint={isField || hasNoValue ? option.help : undefined}
        of={[{ value: '', word: hasNoValue ? 'nothing' : 'this value' }, ...answers(fieldsTaken(draft, option)), newAnswer]}
        value={isField ? textAt(stated, 'meta') : ''}
        onChoose={choose}
      />
      {!isField && !hasNoValue && (
        <FieldsOf fields={[valueFieldOf(option)]} answers={{ [option.key]: stated }} nameOf={() => place} />
      )}
    </div>
  )
}
