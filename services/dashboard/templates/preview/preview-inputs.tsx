// Inputs of the preview that few drafts need: Observations of the user's own, and answers to the fields of the draft.
import { Labelled } from '../../parts/form/field.tsx'
import { isObject, itemsAt, textAt } from '../editor/draft.ts'
import { type Editor, locationType } from '../editor/editor.ts'
import { useEditing, usePlace } from '../editor/place-fields.tsx'

export function OwnObservations() {
  const { editor } = useEditing()
  return (
    <Labelled name="observations" label="Observations as JSON" hint="At most 500, each with at, signal, state and perhaps value.">
      {props => (
        <textarea
          {...props}
          class="input json"
          rows={8}
          spellcheck={false}
          value={editor.own.value}
          onInput={({ currentTarget }) => {
            editor.own.value = currentTarget.value
            editor.judgeSoon()
          }}
        />
      )}
    </Labelled>
  )
}

/** Inputs for the fields of the example Resource, for which the server judges the rules. An empty value stands for the field's default. */
export function AnswerFields() {
  const { editor } = useEditing()
  const fields = itemsAt(editor.draft.value, 'fields')
    .filter(isObject)
    .filter(field => textAt(field, 'key') !== '' && textAt(field, 'type') !== locationType)
  return (
    <>
      {fields.map(field => (
        <AnswerField key={textAt(field, 'key')} field={field} editor={editor} />
      ))}
    </>
  )
}

function AnswerField({ field, editor }: { field: Record<string, unknown>; editor: Editor }) {
  const key = textAt(field, 'key')
  usePlace(`answers.${key}`)
  return (
    <Labelled name={`answers.${key}`} label={textAt(field, 'label') || key}>
      {props => (
        <input
          {...props}
          class="input"
          name={`answers.${key}`}
          placeholder={textAt(field, 'default')}
          value={editor.answers.value[key] ?? ''}
          onInput={({ currentTarget }) => editor.answer(key, currentTarget.value)}
        />
      )}
    </Labelled>
  )
}
