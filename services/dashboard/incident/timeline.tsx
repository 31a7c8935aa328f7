// List of the records of an incident. A person can show a record in the drawing. A long list is cut to the records near the shown moment.
import type { IncidentRecordObject } from '#shared/contracts/session/session-incidents.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Time } from '../parts/time.tsx'
import { eventWords } from '../words/events.ts'
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
          <Entry key={record.sequence} record={record} isShown={from + i === index} onShow={() => page.show(from + i)} />
        ))}
      </ol>
      {later > 0 && <p class="dim">{later} later records: move the slider to see them.</p>}
      {page.records.latest.value?.more && <p class="dim">More records are on their way.</p>}
    </section>
  )
}

function Entry({ record, isShown, onShow }: { record: IncidentRecordObject; isShown: boolean; onShow(): void }) {
  return (
    <li aria-current={isShown ? 'step' : undefined}>
      <button type="button" onClick={onShow}>
        <Time at={Date.parse(record.event_at)} /> <StatusMark state={record.state} />{' '}
        <span>
          {eventWords(record.event)} <span class="dim">{record.explanation}</span>
        </span>
      </button>
    </li>
  )
}
