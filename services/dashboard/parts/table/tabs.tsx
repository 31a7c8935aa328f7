// Tabs of a page, whose address names the chosen tab. All tabs are one tab stop; arrow keys, Home and End move between tabs.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

interface TabsProps {
  /** Name of the group of tabs: one word, unique on the page. */
  label: string
  of: readonly { id: string; word: string }[]
  chosen: string
  onChoose(id: string): void
  children: ComponentChildren
}

export function Tabs({ label, of, chosen, onChoose, children }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const to = nextIndex(
      event.key,
      of.findIndex(tab => tab.id === chosen),
      of.length,
    )
    const tab = to === null ? undefined : of[to]
    if (tab === undefined) return
    event.preventDefault()
    onChoose(tab.id)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to ?? 0]?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {of.map(tab => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${label}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${label}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.word}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${label}-panel`} aria-labelledby={`${label}-${chosen}`}>
        {children}
      </div>
    </>
  )
}

/** Returns the index of the tab, among `count` tabs, to which a pressed key moves; null: the key does not move. */
export function nextIndex(key: string, at: number, count: number): number | null {
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  if (key === 'ArrowRight' || key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (at + count - 1) % count
  return null
}
