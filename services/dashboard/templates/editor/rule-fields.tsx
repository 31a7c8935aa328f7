// The rules of a Template in the editor: their decisions, their waits, and the destinations of their messages.
import { Button } from '../../parts/button.tsx'
import { DecisionAt } from './decision-fields.tsx'
import { emptyRule, itemsAt, textAt, valueAt } from './draft.ts'
import { DestinationAt, FlappingParts, Routes } from './lazy-parts.ts'
import { AmountAt, ListAt, SelectAt, TextAt, useEditing, usePlace } from './place-fields.tsx'

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
          <UnknownAt at={`${at}.unknown`} />
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
  return <FlappingParts at={at} />
}

const unknowns = [
  { value: 'hold', word: 'the last result stays' },
  { value: 'no_data', word: 'data are missing, and an incident opens' },
]

function UnknownAt({ at }: { at: string }) {
  const { editor } = useEditing()
  const choose = (chosen: string) => editor.set(at, chosen === 'hold' ? undefined : chosen)
  const value = textAt(editor.draft.value, at) || 'hold'
  return <SelectAt at={at} label="While its result is unknown" of={unknowns} value={value} onChoose={choose} />
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
