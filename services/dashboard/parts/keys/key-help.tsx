// Hears the keys of the present page, shows them on `?`, and all commands on Ctrl-K.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { go } from '../../data/router.ts'
import { lazy } from '../lazy.tsx'
import { createKeyReader, useKeys } from './keys.ts'

const CommandMenu = lazy(() => import('../../help/command-menu.tsx').then(it => it.CommandMenu))
const KeyList = lazy(() => import('../../help/key-list.tsx').then(it => it.KeyList))

export function Keys() {
  const open = useSignal<'keys' | 'commands' | null>(null)
  useKeys([
    { key: 'g h', words: 'Go to Monitoring', run: () => go('/') },
    { key: 'g i', words: 'Go to Incidents', run: () => go('/incidents') },
    { key: 'g d', words: 'Go to Deliveries', run: () => go('/deliveries') },
    { key: 'g s', words: 'Go to Settings', run: () => go('/settings') },
    {
      key: '?',
      words: 'Show these keys',
      run: () => {
        open.value = 'keys'
      },
    },
  ])
  useEffect(
    () =>
      listenToKeys(() => {
        open.value = 'commands'
      }),
    [],
  )
  const close = () => {
    open.value = null
  }
  if (open.value === 'commands') return <CommandMenu onClose={close} />
  return open.value === 'keys' ? <KeyList onClose={close} /> : null
}

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
    const isElsewhere = isTyping || isDialogOpen
    if (read({ key: event.key, ctrlKey: event.ctrlKey, metaKey: event.metaKey, altKey: event.altKey, isElsewhere })) {
      event.preventDefault()
    }
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
