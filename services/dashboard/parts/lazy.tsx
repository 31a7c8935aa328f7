// A component that is loaded when it is first drawn, so that the page before it stays small.
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { sentenceOf } from '../data/api.ts'
import { announce } from './announce.ts'

/** Draws nothing until the component is loaded. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const loaded = useSignal(known)
    useEffect(() => {
      if (loaded.peek() !== null) return
      load().then(
        component => {
          known = component
          loaded.value = component
        },
        error => announce(sentenceOf(error), { isRefusal: true }),
      )
    }, [loaded])
    const Known = loaded.value
    return Known === null ? null : <Known {...props} />
  }
}
