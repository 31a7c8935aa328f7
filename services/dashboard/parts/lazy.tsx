// A component that is loaded when it is first drawn, so that the page's first scripts stay small.
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { announce } from './announce.ts'
import { Button } from './button.tsx'

const failed = 'This could not be loaded'

/** Draws nothing until the component is loaded. After a failure, a dialog closes; any other component shows a button to try again. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const loaded = useSignal(known)
    const isFailed = useSignal(false)
    const start = async () => {
      isFailed.value = false
      try {
        known = await load()
        loaded.value = known
      } catch {
        const { onClose } = props as { onClose?(): void }
        if (onClose === undefined) isFailed.value = true
        else announce(`${failed}. Try again.`, { isRefusal: true })
        onClose?.()
      }
    }
    useEffect(() => {
      if (loaded.peek() === null) void start()
    }, [])
    const Known = loaded.value
    if (Known !== null) return <Known {...props} />
    return isFailed.value ? (
      <p>
        {failed}. <Button onClick={() => void start()}>Try again</Button>
      </p>
    ) : null
  }
}
