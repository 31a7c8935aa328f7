// Keyboard shortcuts: some apply to all pages, and a page adds its own shortcuts while it is shown. `?` lists all shortcuts.
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface Key {
  /** Name of the key in the browser, or two letters to press one after the other, as in `g h`. */
  key: string
  words: string
  run(): void
}

export const keySets = signal<readonly (readonly Key[])[]>([])

/** Adds keyboard shortcuts from the first drawing of the component until its removal. Every drawing may pass other shortcuts. */
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
 * Returns a function that runs the action of a pressed key. The page's own keys have precedence over the keys of all pages.
 * `isElsewhere`: true if the focus is in a field, or a dialog is open. The function returns true if the key had an effect.
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
