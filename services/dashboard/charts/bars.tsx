// Bars in a row, each with a sentence about it. All bars together are one tab stop; arrow keys and the mouse move between bars.
import { useSignal } from '@preact/signals'
import { addPageStyle } from '../parts/page-style.ts'
import style from './bars.page.css'

addPageStyle(style)

export interface Bar {
  key: string
  /** How it is drawn: a `data-look` of the style sheet. */
  look: 'none' | 'good' | 'some' | 'bad' | 'passed' | 'failed' | 'silent'
  /** Also for people who see no colours. */
  words: string
}

const ends: Readonly<Record<string, number>> = { Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }

/** `label`: what the bars are. `page`: by how many bars Page up and Page down move. */
export function Bars({ label, bars, page }: { label: string; bars: readonly Bar[]; page: number }) {
  const cursor = useSignal<number | null>(null)
  const last = bars.length - 1
  const shown = Math.min(cursor.value ?? last, last)
  const words = bars[shown]?.words ?? ''
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page, ...ends }[event.key]
    if (by === undefined) return
    event.preventDefault()
    cursor.value = Math.min(last, Math.max(0, shown + by))
  }
  return (
    <>
      <div
        class="strip"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        onPointerLeave={() => {
          cursor.value = null
        }}
      >
        {bars.map(({ key, look }, index) => (
          <span
            key={key}
            class="strip-bar"
            data-look={look}
            data-shown={cursor.value === index}
            onPointerEnter={() => {
              cursor.value = index
            }}
          />
        ))}
      </div>
      <p class="readout" aria-hidden="true">
        {words}
      </p>
    </>
  )
}
