// Input for the whole draft as JSON, for a person who writes JSON faster than a form.
import { useSignal } from '@preact/signals'
import { Labelled } from '../../parts/form/field.tsx'
import { draftOfJson, jsonOf } from './draft.ts'
import { useEditing } from './place-fields.tsx'

export function JsonFields() {
  const { editor } = useEditing()
  // Text as typed. While this text is not valid JSON, the editor keeps the last valid draft.
  const typed = useSignal(jsonOf(editor.draft.peek()))
  const fault = useSignal<string | null>(null)
  const change = (text: string) => {
    typed.value = text
    try {
      const draft = draftOfJson(text)
      fault.value = null
      editor.replace(draft)
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error)
    }
  }
  const refusal = editor.refusal.value
  const words =
    fault.value ?? (refusal === null ? null : `${refusal.place === null ? '' : `${refusal.place}: `}${refusal.sentence}`)
  return (
    <Labelled name="json" label="The Template as JSON" hint={<a href="/api/openapi/">Every member is in the API document.</a>}>
      {props => (
        <>
          <textarea
            {...props}
            class="input json"
            name="json"
            rows={32}
            spellcheck={false}
            aria-invalid={words !== null || undefined}
            value={typed.value}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          {words !== null && (
            <p class="refusal" role="status">
              {fault.value === null ? words : `This is no JSON: ${words}`}
            </p>
          )}
        </>
      )}
    </Labelled>
  )
}
