// List of the records of an incident. A person can show a record in the drawing. A long list is cut to the records near the shown moment.
import type { IncidentRecordObject } from '#shared/contracts/session/session-incidents.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Time } from '../parts/time.tsx'
import { eventWords } from '../words/events.ts'
import { signalName } from '../words/places.ts'
import { ruleWords } from '../words/why.ts'
import type { IncidentPage } from './page-state.ts'

/** Number of listed records before the shown moment, and also after it. */
const beside = 40

export function Timeline({ page }: { page: IncidentPage }) {
  const all = page.records.all.value
  const index = page.moment.value?.index ?? 0
  const from = Math.max(0, Math.min(index - beside, all.length - 2 * beside))
  const shown = all.slice(from, from + 2 * beside + 1)
  const later = all.length - from - shown.length
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {from > 0 && <p class="dim">{from} earlier records: move the slider to see them.</p>}
      <ol class="timeline" start={from + 1}>
        {shown.map((record, i) => (
          <Entry
            key={record.sequence}
            record={record}
            locations={page.records.locations.value}
            isShown={from + i === index}
            onShow={() => page.show(from + i)}
          />
        ))}
      </ol>
      {later > 0 && <p class="dim">{later} later records: move the slider to see them.</p>}
      {page.records.latest.value?.more && <p class="dim">More records are on their way.</p>}
    </section>
  )
}

interface EntryProps {
  record: IncidentRecordObject
  locations: Readonly<Record<string, string>>
  isShown: boolean
  onShow(): void
}

function Entry({ record, locations, isShown, onShow }: EntryProps) {
  return (
    <li aria-current={isShown ? 'step' : undefined}>
      <button type="button" onClick={onShow}>
        <Time at={Date.parse(record.event_at)} /> <StatusMark state={record.state} />{' '}
        <span>
          {eventWords(record.event)} <span class="dim">{recordWords(record, locations)}</span>
        </span>
      </button>
    </li>
  )
}

/** Returns what was wrong at the record, in words for people. */
const recordWords = (
  { condition, explanation, evidence, event_at }: IncidentRecordObject,
  locations: Readonly<Record<string, string>>,
): string | null =>
  ruleWords(
    { verdict: condition, explanation, evidence: evidence === null ? null : { ...evidence } },
    {
      expects: {},
      nameOf: signal => signalName(signal, locations),
      now: Date.parse(event_at),
    },
  )
