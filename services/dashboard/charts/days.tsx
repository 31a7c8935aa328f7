// Ninety days as bars. All bars together are one tab stop, and arrow keys move between bars. Each bar has a sentence about its day.
import { useSignal } from '@preact/signals'
import type { DayBars } from '#shared/contracts/session/session-charts.ts'
import { counted, duration, percent } from '../data/format.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { countedDays, utcDay } from './counted-days.ts'
import style from './days.page.css'

addPageStyle(style)

type Day = DayBars['days'][number]

const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7, Home: -400, End: 400 }

export function Days({ days, uptime }: Pick<DayBars, 'days' | 'uptime'>) {
  const cursor = useSignal<number | null>(null)
  const last = days.length - 1
  const shown = Math.min(cursor.value ?? last, last)
  const day = days[shown]
  if (day === undefined) return null
  const onKeyDown = (event: KeyboardEvent) => {
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    cursor.value = Math.min(last, Math.max(0, shown + by))
  }
  return (
    <figure class="days">
      <figcaption>
        <b>{countedDays(days)}</b> <span class="number">{percent(uptime)}</span>
      </figcaption>
      <div
        class="day-bars"
        role="slider"
        tabIndex={0}
        aria-label={`${days.length} days`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={daySentence(day)}
        onKeyDown={onKeyDown}
        onPointerLeave={() => {
          cursor.value = null
        }}
      >
        {days.map((one, index) => (
          <span
            key={one.day}
            class="day"
            data-look={lookOf(one)}
            data-shown={cursor.value === index}
            onPointerEnter={() => {
              cursor.value = index
            }}
          />
        ))}
      </div>
      <p class="readout" aria-hidden="true">
        {daySentence(day)}
      </p>
    </figure>
  )
}

/** Returns the colour class of a day. A day with at least one hour of trouble gets the worst class. */
function lookOf({ uptime, trouble_seconds: trouble }: Day): 'none' | 'good' | 'some' | 'bad' {
  if (uptime === null) return 'none'
  if (trouble === 0) return 'good'
  return trouble < 3_600 ? 'some' : 'bad'
}

function daySentence({ day, uptime, trouble_seconds: trouble, incidents }: Day): string {
  const when = utcDay(day)
  if (uptime === null) return `${when}: not watched yet`
  if (incidents === 0) return `${when}: ${percent(uptime)}, no incident`
  return `${when}: ${percent(uptime)}, ${counted(incidents, 'incident')} of ${duration(trouble * 1_000)}`
}
