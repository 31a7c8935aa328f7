// Menu of all commands. A person types a part of a command, chooses with the arrow keys, and presses Enter. The server searches the
// monitors.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import { askV3 } from '../data/api.ts'
import { schedule } from '../data/clock.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { isAdmin, workspaceId } from '../data/session.ts'
import { Dialog } from '../parts/form/dialog.tsx'
import { type Key, keySets } from '../parts/keys/keys.ts'
import { addPageStyle } from '../parts/page-style.ts'
import style from './command-menu.page.css'
import { type Command, matching, pageCommands } from './commands.ts'

addPageStyle(style)

const monitorsShown = 8
/** Time without typing after which a search is sent, ms. */
const pauseMs = 150

/** Shows the actions that the page had when the menu was opened. */
export function CommandMenu({ onClose }: { onClose(): void }) {
  const text = useSignal('')
  const monitors = useMonitors(text.value)
  const chosen = useSignal(0)
  const usual = useMemo(() => [...keyCommands(keySets.peek().flat()), ...pageCommands(isAdmin.peek(), go)], [])
  const shown = [...matching(usual, text.value), ...monitors.value]
  const at = Math.min(chosen.value, shown.length - 1)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    // Runs the command after this dialog has returned the focus, because the command may open another dialog.
    schedule(0, () => command.run())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) chosen.value = Math.max(0, Math.min(shown.length - 1, at + step))
    else if (event.key === 'Enter') run(shown[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label="Command, page or monitor"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={at < 0 ? undefined : `command-${at}`}
        autocomplete="off"
        onKeyDown={onKeyDown}
        onInput={event => {
          text.value = event.currentTarget.value
          chosen.value = 0
        }}
      />
      {shown.length === 0 && <p class="dim">Nothing has these words.</p>}
      <div id="commands" class="commands" role="listbox" aria-label="Commands">
        {shown.map((command, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive: see the list
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
          <div
            key={`${command.hint} ${command.words}`}
            id={`command-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => run(command)}
          >
            <span dir="auto">{command.words}</span> <span class="dim">{command.hint}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

const keyCommands = (keys: readonly Key[]): Command[] =>
  keys.filter(({ words }) => !words.startsWith('Go to')).map(({ key, words, run }) => ({ words, hint: key, run }))

function useMonitors(text: string) {
  const found = useSignal<readonly Command[]>([])
  useEffect(() => {
    found.value = []
    if (text.trim() === '') return
    const stop = new AbortController()
    const cancel = schedule(pauseMs, () => {
      const query = new URLSearchParams({ search: text.trim(), limit: String(monitorsShown) })
      const path = `/workspaces/${workspaceId.peek()}/monitors?${query}`
      // If the search fails, the menu shows the other commands.
      askV3<MonitorPage['rows']>('GET', path, undefined, stop.signal).then(
        rows => {
          found.value = rows.map(row => ({ words: row.name, hint: 'monitor', run: () => go(pathTo('monitor', { id: row.id })) }))
        },
        () => {},
      )
    })
    return () => {
      cancel()
      stop.abort()
    }
  }, [text])
  return found
}
