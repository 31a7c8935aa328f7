// Input for the whole draft as JSON, for a person who writes JSON faster than a form.
import { useSignal } from '@preact/signals'
import { JsonArea } from '../../parts/json/json-area.tsx'
import { type Fault, faultOf, readJson } from '../../parts/json/json-text.ts'
import { isObject, jsonOf } from './draft.ts'
import { useEditing } from './place-fields.tsx'

export function JsonFields() {
  const { editor } = useEditing()
  // Text as typed. While this text is no JSON object, the editor keeps the last draft that was one.
  const typed = useSignal(jsonOf(editor.draft.peek()))
  const wrong = useSignal<Fault | null>(null)
  const change = (text: string) => {
    typed.value = text
    const read = readJson(text)
    wrong.value = 'fault' in read ? read.fault : null
    if ('fault' in read) return
    if (isObject(read.value)) editor.replace(read.value)
    else wrong.value = faultOf(text, '', 'A Template is a JSON object.')
  }
  const refusal = editor.refusal.value
  return (
    <JsonArea
      name="json"
      label="The Template as JSON"
      hint={<a href="/api/openapi/">Every member is in the API document.</a>}
      value={typed.value}
      fault={wrong.value ?? (refusal && faultOf(typed.value, refusal.place ?? '', placed(refusal)))}
      onInput={change}
    />
  )
}

const placed = ({ place, sentence }: { place: string | null; sentence: string }): string =>
  place === null ? sentence : `${place}: ${sentence}`
