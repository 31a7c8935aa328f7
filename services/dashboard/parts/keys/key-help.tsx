// Handles the keyboard shortcuts of the present page. `?` lists the shortcuts; Ctrl-K opens the menu of all commands.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { go } from '../../data/router.ts'
import { lazy } from '../lazy.tsx'
import { createKeyReader, type Key, useKeys } from './keys.ts'

const CommandMenu = lazy(() => import('../../help/command-menu.tsx').then(it => it.CommandMenu))
const KeyList = lazy(() => import('../../help/key-list.tsx').then(it => it.KeyList))

export function Keys() {
  const open = useSignal<'keys' | 'commands' | null>(null)
  const show = (which: typeof open.value) => {
    open.value = which
  }
  useKeys([
    goes('h', 'Monitoring', '/'),
    goes('i', 'Incidents', '/incidents'),
    goes('d', 'Deliveries', '/deliveries'),
    goes('s', 'Settings', '/settings'),
    { key: '?', words: 'Show these keys', run: () => show('keys') },
  ])
  useEffect(() => listenToKeys(() => show('commands')), [])
  const close = () => show(null)
  if (open.value === 'commands') return <CommandMenu onClose={close} />
  return open.value === 'keys' ? <KeyList onClose={close} /> : null
}

const goes = (letter: string, word: string, path: string): Key => ({
  key: `g ${letter}`,
  words: `Go to ${word}`,
  run: () => go(path),
})

function listenToKeys(showCommands: () => void): () => void {
  const read = createKeyReader()
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : null
    const isTyping = target?.matches('input:not([type=checkbox], [type=range]), textarea, select') === true
    if (isTyping && event.key === 'Escape' && target instanceof HTMLElement) target.blur()
    const isDialogOpen = document.querySelector('dialog[open]') !== null
    if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !isDialogOpen) {
      event.preventDefault()
      return showCommands()
    }
    if (read(event, isTyping || isDialogOpen)) event.preventDefault()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
