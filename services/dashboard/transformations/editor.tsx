// The editor of a transformation. Shows the template beside sample messages, which the server renders by the template while a person types.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Asking, createAsking } from '../data/asking.ts'
import { schedule } from '../data/clock.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { AreaField, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { Fields } from './fields.tsx'
import { type Preview, previewTemplate, saveTransformation, sharedError, type Transformation } from './transformation.ts'

interface EditorProps {
  /** Transformation that is edited; null: a new transformation. */
  edited: Transformation | null
  onSaved(): Promise<void>
  onClose(): void
}

const firstTemplate = '{\n  "text": "{{ summary }}",\n  "link": "{{ link }}"\n}'

export function Editor({ edited, onSaved, onClose }: EditorProps) {
  const template = edited?.template ?? firstTemplate
  const area = useRef<HTMLDivElement>(null)
  const preview = useMemo(() => createAsking({ ask: previewTemplate, schedule }), [])
  // Sets the focus by script, because browsers apply `autofocus` only once per page load.
  useEffect(() => area.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    preview.change(template)
    return preview.stop
  }, [preview, template])
  const send = async (values: FormData) => {
    // Reads the template without `textOf`, because a template keeps its leading and trailing blanks.
    const fields = { name: textOf(values, 'name'), template: String(values.get('template') ?? '') }
    const { name } = await saveTransformation(edited?.id ?? null, fields)
    announce(`Transformation ${name} ${edited === null ? 'created' : 'saved'}.`)
    await onSaved()
  }
  const insert = (field: string) => {
    const text = area.current?.querySelector('textarea')
    if (text == null) return
    text.setRangeText(`{{ ${field} }}`, text.selectionStart, text.selectionEnd, 'end')
    text.focus()
    preview.change(text.value)
  }
  return (
    <div class="editor" ref={area}>
      <Form
        fields={['name', 'template']}
        act={edited === null ? 'Create transformation' : 'Save'}
        send={send}
        beside={<Button onClick={onClose}>Cancel</Button>}
      >
        <TextField name="name" label="Name" defaultValue={edited?.name ?? ''} />
        <AreaField
          name="template"
          label="Template"
          rows={10}
          defaultValue={template}
          onInput={({ currentTarget: { value } }) => preview.change(value)}
          hint={<TemplateHint preview={preview} />}
        />
        {edited !== null && <p class="hint">Saved, it writes the next message of each destination that uses it.</p>}
        <Fields onInsert={insert} />
      </Form>
      <Samples preview={preview} />
    </div>
  )
}

/** Shows a fault of the template itself beside the template. A fault of a single sample is shown beside this sample. */
function TemplateHint({ preview }: { preview: Asking<string, Preview> }) {
  const fault = preview.answer.value === null ? null : sharedError(preview.answer.value)
  if (fault !== null) return <span class="fault">{fault}</span>
  return (
    <>
      Text with {'{{ fields }}'}. One that begins with {'{'} or [ makes JSON.
    </>
  )
}

function Samples({ preview }: { preview: Asking<string, Preview> }) {
  const { answer, failure, isOld } = preview
  return (
    <section class="samples" aria-labelledby="samples" data-old={isOld.value}>
      <h2 id="samples">What would be sent</h2>
      {failure.value !== null && <p class="dim">The samples could not be rendered. Type on to try again.</p>}
      <p class="hidden" role="status">
        {isOld.value || answer.value === null ? '' : answer.value.passed ? 'All samples render.' : 'Not all samples render.'}
      </p>
      {answer.value?.results.map(result => (
        <article key={result.label}>
          <h3>{result.label}</h3>
          {result.ok ? <pre>{result.output}</pre> : <p class="fault">{result.error}</p>}
        </article>
      ))}
    </section>
  )
}
