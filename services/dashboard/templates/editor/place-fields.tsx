// Fields of the editor of a Template. Each field edits the value at one dotted place of the draft, and shows refusals that name this place.
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useLayoutEffect } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Labelled } from '../../parts/form/field.tsx'
import { isObject, itemsAt, numberOr, textAt, valueAt, withItem, withoutItem } from './draft.ts'
import type { Editor } from './editor.ts'

export interface Editing {
  editor: Editor
  /** Places that the form shows at present. */
  places: Set<string>
  /** Grows whenever a place is drawn, because a part of the form may be loaded after a refusal that names one of its places. */
  drawn: Signal<number>
  /** Names of the workspace's destinations. */
  destinations: readonly string[]
}

export const EditingContext = createContext<Editing | null>(null)

export function useEditing(): Editing {
  const editing = useContext(EditingContext)
  if (editing === null) throw new Error('Invariant broken: a field of the editor stands outside of it')
  return editing
}

/** Registers a place that the calling component shows. Refusals that name this place are then shown at the component. */
export function usePlace(place: string): void {
  const { places, drawn } = useEditing()
  useLayoutEffect(() => {
    places.add(place)
    drawn.value = drawn.peek() + 1
    return () => void places.delete(place)
  }, [place])
}

interface Shown {
  at: string
  label: string
  hint?: ComponentChildren
  /** True if the draft omits this field when the field is empty. */
  isOptional?: boolean
}

export function TextAt({ at, label, hint, isOptional, rows }: Shown & { rows?: number }) {
  const { editor } = useEditing()
  usePlace(at)
  const value = textAt(editor.draft.value, at)
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) =>
    editor.set(at, isOptional && currentTarget.value === '' ? undefined : currentTarget.value)
  return (
    <Labelled name={at} label={label} hint={hint}>
      {props =>
        rows === undefined ? (
          <input {...props} class="input" name={at} value={value} onInput={onInput} />
        ) : (
          <textarea {...props} class="input" name={at} rows={rows} value={value} onInput={onInput} />
        )
      }
    </Labelled>
  )
}

export function NumberAt({ at, label, hint, isOptional }: Shown) {
  const { editor } = useEditing()
  usePlace(at)
  const value = textAt(editor.draft.value, at)
  // Keeps the typed text while it means the same as the draft's value. Otherwise `1.` would become `1` while a person types `1.5`.
  const typed = useSignal(value)
  const shown = String(numberOr(typed.value)) === value ? typed.value : value
  return (
    <Labelled name={at} label={label} hint={hint}>
      {props => (
        <input
          {...props}
          class="input"
          name={at}
          inputMode="decimal"
          value={shown}
          onInput={({ currentTarget: { value: text } }) => {
            typed.value = text
            editor.set(at, isOptional && text === '' ? undefined : numberOr(text))
          }}
        />
      )}
    </Labelled>
  )
}

export interface Choice {
  value: string
  word: string
}

interface SelectProps extends Shown {
  of: readonly Choice[]
  value: string
  onChoose(value: string): void
}

/**
 * Select element; the caller defines the effect of a choice by `onChoose`. If `value` is not one of the choices, adds it as one more
 * choice.
 */
export function SelectAt({ at, label, hint, of, value, onChoose }: SelectProps) {
  usePlace(at)
  const all = of.some(one => one.value === value) ? of : [...of, { value, word: value === '' ? 'Choose…' : value }]
  return (
    <Labelled name={at} label={label} hint={hint}>
      {props => (
        <select {...props} class="input" name={at} value={value} onChange={event => onChoose(event.currentTarget.value)}>
          {all.map(one => (
            <option key={one.value} value={one.value} selected={one.value === value}>
              {one.word}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** Select element whose value is the text at a place of the draft. */
export function ChoiceAt({ isOptional, ...shown }: Shown & { of: readonly Choice[] }) {
  const { editor } = useEditing()
  const choose = (value: string) => editor.set(shown.at, isOptional && value === '' ? undefined : value)
  return <SelectAt {...shown} value={textAt(editor.draft.value, shown.at)} onChoose={choose} />
}

/** Returns the keys of the draft's fields whose values are numbers. */
export const numericFields = (draft: unknown): string[] =>
  itemsAt(draft, 'fields')
    .filter(field => ['integer', 'number', 'duration', 'duration_seconds'].includes(textAt(field, 'type')))
    .map(field => textAt(field, 'key'))
    .filter(key => key !== '')

/** Input for a number, or for a reference to the Resource's field that contains the number. */
export function AmountAt({ at, label, hint }: Shown) {
  const { editor } = useEditing()
  const draft = editor.draft.value
  const fields = numericFields(draft)
  const value = valueAt(draft, at)
  const isField = isObject(value)
  if (fields.length === 0 && !isField) return <NumberAt at={at} label={label} hint={hint} />
  const choices = [{ value: '', word: 'this number' }, ...fields.map(key => ({ value: key, word: `the answer ${key}` }))]
  const choose = (key: string) => editor.set(at, key === '' ? 0 : { meta: key })
  return (
    <div class="editor-amount">
      <SelectAt
        at={isField ? `${at}.meta` : `${at}.source`}
        label={label}
        hint={hint}
        of={choices}
        value={isField ? textAt(value, 'meta') : ''}
        onChoose={choose}
      />
      {!isField && <NumberAt at={at} label={`${label}: number`} />}
    </div>
  )
}

interface ListProps {
  at: string
  /** Noun for one item, as in "Rule 2". */
  noun: string
  fresh(): unknown
  /** True if the draft omits this list when the list is empty. */
  isOptional?: boolean
  most: number
  children(place: string, index: number): ComponentChildren
}

/** Inputs for the items of a list. Every item has a button that removes it. A last button adds an item. */
export function ListAt({ at, noun, fresh, isOptional = false, most, children }: ListProps) {
  const { editor } = useEditing()
  usePlace(at)
  const items = itemsAt(editor.draft.value, at)
  const remove = (index: number) => editor.replace(withoutItem(editor.draft.peek(), at, index, isOptional))
  return (
    <div class="editor-form" data-list>
      {items.map((item, i) => (
        <fieldset key={i} class="editor-part">
          <legend>
            {noun} {textAt(item, 'key') || i + 1}
          </legend>
          {children(`${at}.${i}`, i)}
          {(isOptional || items.length > 1) && (
            <Remove what={`${noun} ${textAt(item, 'key') || i + 1}`} onRemove={() => remove(i)} />
          )}
        </fieldset>
      ))}
      {items.length < most && (
        <div class="acts">
          <Button onClick={() => editor.replace(withItem(editor.draft.peek(), at, fresh()))}>Add {noun.toLowerCase()}</Button>
        </div>
      )}
    </div>
  )
}

/** Button that removes an item of the surrounding list. After a press, the focus moves to the button that adds an item. */
export function Remove({ what, onRemove }: { what: string; onRemove(): void }) {
  const remove = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const list = currentTarget.closest('[data-list]')
    onRemove()
    requestAnimationFrame(() => list?.querySelector<HTMLElement>(':scope > .acts > button')?.focus())
  }
  return (
    <div class="acts">
      <Button look="quiet" aria-label={`Remove ${what}`} onClick={remove}>
        Remove
      </Button>
    </div>
  )
}
