// Field of a secret that has a value. The value is never shown, so it is kept until a person replaces it. Drawn inside a Form.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Button } from '../button.tsx'
import { FormContext } from './form-state.ts'

interface Props {
  name: string
  label: string
  /** Input for the new value. While it is not drawn, the form sends nothing, and the present value stays. */
  children: ComponentChildren
}

export function KeptSecret({ name, label, children }: Props) {
  const isReplaced = useSignal(false)
  // A refusal may demand the secret anew, because the monitor is pointed elsewhere.
  const isRefused = useContext(FormContext)?.refusals.value.has(name) === true
  if (isReplaced.value || isRefused) return <>{children}</>
  return (
    <div class="field" data-field={name}>
      <span class="field-name">{label}</span>
      <p class="kept">
        <span>Kept. It is never shown.</span>
        <Button aria-label={`Replace: ${label}`} onClick={() => (isReplaced.value = true)}>
          Replace
        </Button>
      </p>
    </div>
  )
}
