// The parts of a rule in the editor that few rules have: the count of changes, one destination, and routes.
import { Button } from '../../parts/button.tsx'
import { isObject, itemsAt, textAt, valueAt, withItem, withoutItem } from './draft.ts'
import { NumberAt, Remove, SelectAt, useEditing, usePlace } from './place-fields.tsx'

export function FlappingParts({ at }: { at: string }) {
  const { editor } = useEditing()
  return (
    <fieldset class="editor-part">
      <legend>Flapping</legend>
      <p class="hint">So many changes between problem and ok, within this time, confirm a problem at once.</p>
      <div class="editor-row">
        <NumberAt at={`${at}.changes`} label="Changes" />
        <NumberAt at={`${at}.within_seconds`} label="Within, seconds" />
      </div>
      <Remove what="flapping" onRemove={() => editor.set(at, undefined)} />
    </fieldset>
  )
}

/** Input for a destination, chosen by its name. If the draft names the destination by id, the id stays. */
export function DestinationAt({ at }: { at: string }) {
  const { editor, destinations } = useEditing()
  const value = valueAt(editor.draft.value, at)
  const name = isObject(value) ? textAt(value, 'name') || textAt(value, 'id') : textAt(editor.draft.value, at)
  return (
    <SelectAt
      at={at}
      label="Destination"
      hint={destinations.length === 0 ? 'This workspace has no destination yet.' : undefined}
      of={destinations.map(one => ({ value: one, word: one }))}
      value={name}
      onChoose={chosen => editor.set(at, { name: chosen })}
    />
  )
}

const transitions = [
  { value: 'opened', word: 'an incident opens' },
  { value: 'problem', word: 'a problem is confirmed' },
  { value: 'no_data', word: 'data are missing' },
  { value: 'recovery', word: 'it is over' },
  { value: 'acknowledged', word: 'somebody acknowledges' },
]

export function Routes({ at, first }: { at: string; first: { name: string } }) {
  const { editor } = useEditing()
  usePlace(at)
  const draft = editor.draft.value
  const routes = itemsAt(draft, at)
  return (
    <div class="editor-form" data-list>
      {routes.length === 0 && <p class="hint">No route: messages of this rule go nowhere.</p>}
      {routes.map((_, i) => (
        <fieldset key={i} class="editor-part">
          <legend>Route {i + 1}</legend>
          <DestinationAt at={`${at}.${i}.destination`} />
          <Transitions at={`${at}.${i}.on`} />
          <NumberAt at={`${at}.${i}.after_minutes`} label="After minutes" hint="If nobody takes it before." isOptional />
          <Remove what={`route ${i + 1}`} onRemove={() => editor.replace(withoutItem(editor.draft.peek(), at, i))} />
        </fieldset>
      ))}
      {routes.length < 10 && (
        <div class="acts">
          <Button
            onClick={() =>
              editor.replace(withItem(editor.draft.peek(), at, { destination: first, on: ['problem', 'no_data', 'recovery'] }))
            }
          >
            Add route
          </Button>
        </div>
      )}
    </div>
  )
}

const usual = ['problem', 'no_data', 'recovery']

function Transitions({ at }: { at: string }) {
  const { editor } = useEditing()
  usePlace(at)
  const given = valueAt(editor.draft.value, at)
  const on = Array.isArray(given) ? given : usual
  const toggle = (name: string, isOn: boolean) =>
    editor.set(
      at,
      transitions.map(({ value }) => value).filter(value => (value === name ? isOn : on.includes(value))),
    )
  return (
    <fieldset class="choices">
      <legend>When</legend>
      {transitions.map(({ value, word }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={on.includes(value)}
            onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
          />
          {word}
        </label>
      ))}
    </fieldset>
  )
}
