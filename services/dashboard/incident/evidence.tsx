// Evidence of a record: a sentence about the rule's judgement, then the readings that the rule used.
import { now } from '../data/clock.ts'
import { duration, sentence } from '../data/format.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { plainWords, silentSince } from '../words/silence.ts'
import type { IncidentPage } from './page-state.ts'
import { type Reading, readingsOf } from './readings.ts'

export function Evidence({ page }: { page: IncidentPage }) {
  const moment = page.moment.value
  if (moment === null) return null
  const { event_at, explanation, evidence } = moment.record
  const at = Date.parse(event_at)
  const locations = page.records.locations.value
  const isOfLocations = Object.keys(locations).length > 0
  const columns: readonly Column<Reading>[] = [
    { head: isOfLocations ? 'Location' : 'Signal', cell: ({ name }) => name },
    {
      head: 'Says',
      cell: ({ state, words }) => <StatusMark state={silentSince(words) === null ? state : 'no_data'} />,
    },
    { head: 'Value', isNumber: true, cell: ({ value }) => value },
    { head: 'Age', isNumber: true, cell: reading => (reading.at === null ? 'never' : duration(at - reading.at)) },
    { head: 'Reason', cell: ({ words }) => plainWords(words, now.value) },
  ]
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">
        Evidence at <Time at={at} />
      </h2>
      <p>{sentence(plainWords(explanation, now.value))}</p>
      {evidence !== null && (
        <Table
          label="Readings"
          columns={columns}
          rows={readingsOf(evidence, locations)}
          keyOf={({ key }) => key}
          empty="No reading was used."
        />
      )}
      {evidence !== null && evidence.omitted > 0 && <p class="dim">{evidence.omitted} more readings were not kept.</p>}
    </section>
  )
}
