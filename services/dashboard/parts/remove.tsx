// A button that removes a thing of a page, once the person has confirmed it.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { announce } from './announce.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'

/** `children`: what is lost. */
export function Remove(of: { noun: string; name: string; send(): Promise<void>; children: ComponentChildren }) {
  const isAsked = useSignal(false)
  const { noun, name } = of
  const send = async () => {
    await of.send()
    announce(`The ${noun} ${name} is removed.`)
  }
  return (
    <>
      <Button aria-label={`Remove ${noun}: ${name}`} onClick={() => (isAsked.value = true)}>
        Remove
      </Button>
      {isAsked.value && (
        <Confirm title={`Remove ${name}?`} act={`Remove ${noun}`} send={send} onClose={() => (isAsked.value = false)}>
          {of.children}
        </Confirm>
      )}
    </>
  )
}
