// The rules of a Template in the editor: their decisions, their waits, and the destinations of their messages.
import { Button } from '../../parts/button.tsx'
import { DecisionAt } from './decision-fields.tsx'
import { emptyRule, isObject, itemsAt, textAt, valueAt, withItem, withoutItem } from './draft.ts'
import { AmountAt, ListAt, NumberAt, Remove, SelectAt, TextAt, useEditing, usePlace } from './place-fields.tsx'

export function RuleList() {
  const { editor } = useEditing()
  return (
    <ListAt at="rules" noun="Rule" most={10} fresh={() => emptyRule(textAt(editor.draft.peek(), 'signals.0.key'))}>
      {at => (
        <>
          <TextAt at={`${at}.key`} label="Key" />
          <DecisionAt at={`${at}.decision`} label="It is a problem if" depth={1} />
          <div class="editor-row">
            <AmountAt
              at={`${at}.wait.confirm_after`}
              label="Confirmed after, seconds"
              hint="A problem that ends sooner wakes nobody."
            />
            <AmountAt at={`${at}.wait.recover_after`} label="Closed after, seconds" hint="So long it has to be healthy." />
          </div>
          <Flapping at={`${at}.wait.flapping`} />
          <TextAt at={`${at}.action`} label="Action" hint="Part of the message: what the person who gets it should do." />
          <Routing at={at} />
          <TextAt at={`${at}.help`} label="Help" isOptional />
        </>
      )}
    </ListAt>
  )
}

/** The count of changes that confirms a problem, if the rule has one. */
function Flapping({ at }: { at: string }) {
  const { editor } = useEditing()
  usePlace(at)
  if (valueAt(editor.draft.value, at) == null)
    return (
      <div class="acts">
        <Button onClick={() => editor.set(at, { changes: 12, within_seconds: 600 })}>Count changes</Button>
      </div>
    )
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

const ways = [
  { value: 'default', word: 'the default destination of the workspace' },
  { value: 'destination', word: 'one destination' },
  { value: 'routes', word: 'destinations by what happened' },
]

function Routing({ at }: { at: string }) {
  const { editor, destinations } = useEditing()
  const draft = editor.draft.value
  const way =
    itemsAt(draft, `${at}.routes`).length > 0 || Array.isArray(valueAt(draft, `${at}.routes`)) ? 'routes' : wayOf(draft, at)
  const first = { name: destinations[0] ?? '' }
  const choose = (to: string) => {
    editor.set(`${at}.destination`, to === 'destination' ? first : undefined)
    editor.set(`${at}.routes`, to === 'routes' ? [{ destination: first, on: ['problem', 'no_data', 'recovery'] }] : undefined)
  }
  return (
    <>
      <SelectAt at={`${at}.way`} label="Messages go to" of={ways} value={way} onChoose={choose} />
      {way === 'destination' && <DestinationAt at={`${at}.destination`} />}
      {way === 'routes' && <Routes at={`${at}.routes`} first={first} />}
    </>
  )
}

const wayOf = (draft: unknown, at: string): string => (valueAt(draft, `${at}.destination`) == null ? 'default' : 'destination')

/** Input for a destination, chosen by its name. If the draft names the destination by id, the id stays. */
function DestinationAt({ at }: { at: string }) {
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

function Routes({ at, first }: { at: string; first: { name: string } }) {
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
