// Keys of the present page and of all pages. A page adds its own keys while it is shown; `?` lists all keys.
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Key {
  /** Name of the key in the browser, or two letters to press one after the other, as in `g h`. */
  key: string
  words: string
  run(): void
}

export const keySets = signal<readonly (readonly Key[])[]>([])

/** Adds keys while the component is shown, from its first drawing on. They may change with each drawing. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  latest.current = keys
  const names = keys.map(({ key }) => key).join(',')
  useLayoutEffect(() => {
    const run = (name: string) => latest.current.find(({ key }) => key === name)?.run()
    const mine = latest.current.map(({ key, words }) => ({ key, words, run: () => run(key) }))
    keySets.value = [...keySets.peek(), mine]
    return () => {
      keySets.value = keySets.peek().filter(one => one !== mine)
    }
  }, [names])
}

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

/**
 * Passes keys to the sets of keys. The page's own keys have precedence over the keys of all pages. `isElsewhere`: the focus is in a field, or a
 * dialog is open. Returns whether the key had an effect.
 */
export function createKeyReader(): (pressed: Pressed, isElsewhere: boolean) => boolean {
  let before = ''
  return ({ key, ctrlKey, metaKey, altKey }, isElsewhere) => {
    const pair = `${before} ${key}`
    before = ''
    if (ctrlKey || metaKey || altKey || isElsewhere) return false
    const known = [...keySets.peek()].reverse().flat()
    const found = known.find(one => one.key === pair) ?? known.find(one => one.key === key)
    if (found !== undefined) {
      found.run()
      return true
    }
    if (known.some(one => one.key.startsWith(`${key} `))) before = key
    return false
  }
}
