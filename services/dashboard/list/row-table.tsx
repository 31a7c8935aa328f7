// The visible part of the rows: a table of about forty row elements. The whole table is one tab stop; j and k move between rows.
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { schedule } from '../data/clock.ts'
import { counted } from '../data/format.ts'
import { setQuery } from '../data/router.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import { needFigures } from './figures.ts'
import { Row } from './row.tsx'
import type { Rows } from './rows.ts'
import { cursor, filterOfAddress, rowPx, scroll, selection, shownWindow } from './view.ts'

const columns = ['Status', 'Monitor', 'Why', 'Next', 'Since', 'p95', '30 days'] as const
const headPx = 28
const figuresMs = 200
const classes = ['state', 'name', 'why', 'next', 'since number', 'p95 number', 'uptime number']

export function RowTable({ rows }: { rows: Rows }) {
  const region = useRef<HTMLElement>(null)
  const shown = useMemo(() => shownWindow(rows), [rows])
  useSignalEffect(() => {
    const { from, to } = shown.value
    rows.need(from, to)
    const ids = Array.from({ length: to - from }, (_, n) => rows.at(from + n)?.id).filter(id => id !== undefined)
    // Reads the figures after the rows are drawn. The delay avoids requests for rows that are scrolled past.
    return schedule(figuresMs, () => void needFigures(ids))
  })
  useEffect(() => measure(region.current), [])
  const awaited = useFocusWhenDrawn(rows, region)
  const walk = (by: number) => {
    const to = move(region.current, rows.total.value, by)
    if (to !== null) awaited.value = to
  }
  useKeys([
    { key: 'j', words: 'Next monitor', run: () => walk(1) },
    { key: 'k', words: 'Monitor before', run: () => walk(-1) },
    { key: 'ArrowDown', words: 'Next monitor', run: () => walk(1) },
    { key: 'ArrowUp', words: 'Monitor before', run: () => walk(-1) },
    { key: 'r', words: 'Sort again', run: rows.refresh },
  ])
  const { from, to } = shown.value
  const total = rows.total.value
  if (total === 0 && rows.counts.value !== null) return <NoRows />
  const toggle = (row: Parameters<typeof selection.toggle>[0]) => {
    if (!selection.toggle(row)) announce('A hundred monitors are chosen already.', { isRefusal: true })
  }
  return (
    <>
      <p class="hidden" role="status">
        {counted(total, 'monitor')} shown
      </p>
      {rows.isReordered.value && (
        <p class="reorder" role="status">
          The order has changed. Sort again: leave the list, or press <kbd>r</kbd>
        </p>
      )}
      <section
        ref={region}
        class="rows"
        aria-label="Monitors"
        onScroll={event => {
          scroll.top.value = event.currentTarget.scrollTop
        }}
        onPointerEnter={() => rows.hold(true)}
        onPointerLeave={() => rows.hold(false)}
        onFocusIn={event => {
          const index = Number((event.target instanceof Element ? event.target.closest('tr') : null)?.dataset['index'] ?? -1)
          if (index >= 0) cursor.value = index
          rows.hold(true)
        }}
        onFocusOut={() => rows.hold(false)}
      >
        <table class="monitors" aria-rowcount={total + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" class="choose">
                <span class="hidden">Chosen</span>
              </th>
              {columns.map((word, index) => (
                <th key={word} scope="col" class={classes[index]}>
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer px={from * rowPx.value} />
            {Array.from({ length: Math.max(0, to - from) }, (_, n) => {
              const row = rows.at(from + n)
              return <Row key={row?.id ?? from + n} index={from + n} row={row} onToggle={toggle} />
            })}
            <Spacer px={(total - to) * rowPx.value} />
          </tbody>
        </table>
      </section>
    </>
  )
}

const Spacer = ({ px }: { px: number }) => (
  <tr class="spacer" aria-hidden="true" style={{ height: `${Math.max(0, px)}px` }}>
    <td colSpan={8} />
  </tr>
)

function NoRows() {
  const { text } = filterOfAddress()
  return (
    <p class="dim">
      {text === '' ? 'No monitor is in this state. ' : `No monitor has “${text}” in its name, key or host. `}
      <Button look="quiet" onClick={() => setQuery({ q: null, status: null })}>
        Show all
      </Button>
    </p>
  )
}

/** Stores the height of the list's window and of a row, also after changes. Restores the scroll position of the last visit. */
function measure(region: HTMLElement | null): (() => void) | undefined {
  if (region === null) return undefined
  region.scrollTop = scroll.top.peek()
  const narrow = matchMedia('(max-width: 44rem)')
  const look = () => {
    rowPx.value = narrow.matches ? 64 : 50
    scroll.height.value = region.clientHeight
  }
  look()
  const observer = new ResizeObserver(look)
  observer.observe(region)
  return () => observer.disconnect()
}

/** Returns a Preact signal. A row whose index is set as its value gets the focus as soon as the row is loaded and drawn. */
function useFocusWhenDrawn(rows: Rows, region: { current: HTMLElement | null }) {
  const awaited = useSignal<number | null>(null)
  useSignalEffect(() => {
    const index = awaited.value
    if (index === null || rows.at(index) === undefined) return
    requestAnimationFrame(() => {
      if (awaited.peek() !== index) return
      const link = region.current?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
      link?.focus({ preventScroll: true })
      if (link) awaited.value = null
    })
  })
  return awaited
}

/** Moves the cursor by some rows, and scrolls its new row into the window. Returns the index of this row; null: there are no rows. */
function move(region: HTMLElement | null, total: number, by: number): number | null {
  if (region === null || total === 0) return null
  const to = Math.min(total - 1, Math.max(0, cursor.value + by))
  cursor.value = to
  const y = to * rowPx.value
  if (y < region.scrollTop) region.scrollTop = y
  else if (y + rowPx.value + headPx > region.scrollTop + region.clientHeight) {
    region.scrollTop = y + rowPx.value + headPx - region.clientHeight
  }
  scroll.top.value = region.scrollTop
  return to
}
