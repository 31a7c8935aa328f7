// A form, which sends only one request at a time. A refusal is shown beside the field that it names. The first field with a refusal gets
// the focus.
import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { Button } from '../button.tsx'
import { addPageStyle } from '../page-style.ts'
import style from './form.page.css'
import { createFormState, FormContext, submitForm } from './form-state.ts'
import { showRefusal } from './show-refusal.ts'

addPageStyle(style)

interface FormProps {
  /** Names of the form's fields, as the API's refusals use them. */
  fields: readonly string[]
  /** Text of the button that sends the form. */
  act: string
  look?: 'main' | 'danger'
  /** Sends the values of the fields; rejects with a Refusal. */
  send(values: FormData): Promise<void>
  /** Content beside the button, such as a cancel button. */
  beside?: ComponentChildren
  children: ComponentChildren
}

export function Form({ fields, act, look = 'main', send, beside, children }: FormProps) {
  const state = useMemo(createFormState, [])
  const form = useRef<HTMLFormElement>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    const element = form.current
    if (element === null) return
    const isSent = await submitForm(state, fields, () => send(new FormData(element)))
    if (!isSent) showRefusal(element)
  }
  return (
    <FormContext.Provider value={state}>
      <form class="form" ref={form} onSubmit={event => void submit(event)} noValidate>
        {children}
        {state.refusal.value !== null && (
          <p class="refusal form-refusal" role="alert" tabIndex={-1}>
            {state.refusal}
          </p>
        )}
        <div class="acts">
          <Button type="submit" look={look} isBusy={state.isBusy.value}>
            {act}
          </Button>
          {beside}
        </div>
      </form>
    </FormContext.Provider>
  )
}

/** Returns a field's text without blanks around it; empty if the field is absent. */
export const textOf = (values: FormData, name: string): string => {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
