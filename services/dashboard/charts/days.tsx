// Ninety days as bars. Each bar has a sentence about its day.
import type { DayBars } from '#shared/contracts/session/session-charts.ts'
import { counted, duration, percent } from '../data/format.ts'
import { Bars } from './bars.tsx'
import { countedDays, utcDay } from './counted-days.ts'

type Day = DayBars['days'][number]

export function Days({ days, uptime }: Pick<DayBars, 'days' | 'uptime'>) {
  if (days.length === 0) return null
  const bars = days.map(day => ({ key: day.day, look: lookOf(day), words: daySentence(day) }))
  return (
    <figure class="days">
      <figcaption>
        <b>{countedDays(days)}</b> <span class="number">{percent(uptime)}</span>
      </figcaption>
      <Bars label={`${days.length} days`} bars={bars} page={7} />
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
