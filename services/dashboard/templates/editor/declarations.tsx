// The first parts of the editor: the Template's name, its fields, and its signals.
import { useSignal, useSignalEffect } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { isObject, textAt, valueAt } from './draft.ts'
import { CheckParts, FieldParts } from './lazy-parts.ts'
import { ListAt, NumberAt, SelectAt, TextAt, useEditing } from './place-fields.tsx'

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

export const FieldList = () => (
  <ListAt at="fields" noun="Answer" most={32} isOptional fresh={() => ({ key: '', type: 'duration', default: 300 })}>
    {at => <FieldAt at={at} />}
  </ListAt>
)

/** A field that was there before is closed until a person opens it, or until a refusal names one of its parts. */
function FieldAt({ at }: { at: string }) {
  const { editor } = useEditing()
  const [key, type] = ['key', 'type'].map(part => textAt(editor.draft.value, `${at}.${part}`))
  const isOpen = useSignal(key === '')
  useSignalEffect(() => {
    if (editor.refusal.value?.place?.startsWith(`${at}.`)) isOpen.value = true
  })
  if (isOpen.value) return <FieldParts at={at} />
  return (
    <div class="acts">
      <span class="dim">{type}</span>
      <Button aria-label={`Edit answer ${key}`} onClick={() => (isOpen.value = true)}>
        Edit
      </Button>
    </div>
  )
}

const kinds = [
  { value: 'heartbeat', word: 'heartbeat: it says that it lives' },
  { value: 'periodic', word: 'periodic: a value again and again' },
  { value: 'event', word: 'event: now and then' },
  { value: 'check', word: 'check: probers make it' },
]

export function SignalList() {
  const { editor } = useEditing()
  return (
    <ListAt at="signals" noun="Signal" most={16} fresh={() => ({ key: '', kind: 'heartbeat', every_seconds: 60 })}>
      {at => {
        const kind = textAt(editor.draft.value, `${at}.kind`)
        return (
          <>
            <div class="editor-row">
              <TextAt at={`${at}.key`} label="Key" />
              <SelectAt
                at={`${at}.kind`}
                label="Kind"
                of={kinds}
                value={kind}
                onChoose={chosen => editor.set(at, ofKind(valueAt(editor.draft.peek(), at), chosen))}
              />
              {kind !== 'event' && kind !== 'check' && (
                <NumberAt at={`${at}.every_seconds`} label="Every, seconds" hint="Silent after three times as long." />
              )}
              <TextAt at={`${at}.help`} label="Help" isOptional />
            </div>
            {kind === 'check' && <CheckParts at={at} />}
          </>
        )
      }}
    </ListAt>
  )
}

/** Returns the signal as one of another kind. An event has no period; every other kind needs one, and only that of a check may be an answer. */
function ofKind(signal: unknown, kind: string): object {
  const { key, help, every_seconds: period } = isObject(signal) ? signal : {}
  const seconds = typeof period === 'number' ? period : 60
  return { key, kind, ...(kind !== 'event' && { every_seconds: seconds }), ...(help !== undefined && { help }) }
}
