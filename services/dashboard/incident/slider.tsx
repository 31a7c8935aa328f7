// Slider over the records of an incident, with a tick for each record. One button starts a replay, and another shows the present.
import { clockTime } from '../data/format.ts'
import { Button } from '../parts/button.tsx'
import { eventWords } from '../words/events.ts'
import { stateOf } from '../words/statuses.ts'
import type { IncidentPage } from './page-state.ts'

/** Maximum number of ticks; more ticks would look like a solid bar. */
const ticksMost = 100

export function Slider({ page }: { page: IncidentPage }) {
  const all = page.records.all.value
  const moment = page.moment.value
  if (moment === null) return null
  const { index, record, isLive } = moment
  const event = eventWords(record.event)
  const time = clockTime(Date.parse(record.event_at))
  return (
    <>
      <div class="replay">
        <Button shortcut="r" onClick={page.play}>
          {page.isPlaying.value ? 'Pause' : 'Replay'}
        </Button>
        <label for="record" class="hidden">
          Record
        </label>
        <input
          id="record"
          type="range"
          min="0"
          max={all.length - 1}
          step="1"
          value={index}
          list={all.length <= ticksMost ? 'ticks' : undefined}
          aria-valuetext={`${index + 1} of ${all.length}: ${time}, ${event}, ${stateOf(record.state).word}`}
          onInput={change => page.show(Number(change.currentTarget.value))}
        />
        {all.length <= ticksMost && (
          <datalist id="ticks">
            {all.map(({ sequence }, i) => (
              <option key={sequence} value={i} />
            ))}
          </datalist>
        )}
        <output for="record">
          {time} · {event}
        </output>
        <Button shortcut="l" aria-pressed={isLive} onClick={() => page.show(null)}>
          Live
        </Button>
      </div>
      {!isLive && (
        <p class="banner" role="status">
          You see {time}, record {index + 1} of {all.length}. Live shows the present.
        </p>
      )}
    </>
  )
}
