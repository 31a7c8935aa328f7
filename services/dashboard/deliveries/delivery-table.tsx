// Deliveries in a table, with the outcome and its reason. A button shows the payload.
import { pathTo } from '../data/routing.ts'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { reasonWords } from '../words/reasons.ts'
import { type Delivery, statuses } from './delivery-page.ts'

export function DeliveryTable({ rows, isFiltered }: { rows: readonly Delivery[]; isFiltered: boolean }) {
  return (
    <Table
      label="Deliveries"
      columns={columns}
      rows={rows}
      keyOf={({ at, destination, event, incident }) => `${at} ${destination} ${event} ${incident}`}
      empty={isFiltered ? 'No message fits.' : 'No messages yet. The first is sent when an incident is confirmed.'}
    />
  )
}

const columns: readonly Column<Delivery>[] = [
  { head: 'When', cell: ({ at }) => <Time at={Date.parse(at)} isLong /> },
  { head: 'Destination', cell: ({ destination }) => destination ?? 'None' },
  { head: 'About', cell: aboutOf },
  { head: 'Event', cell: eventOf },
  { head: 'Outcome', cell: outcomeOf },
  { head: 'Payload', cell: payloadOf },
]

/** Names and links the monitor, and names the rule. */
function aboutOf({ resource, rule, incident }: Delivery) {
  if (resource === null) return incident === null ? 'A test' : 'A deleted monitor'
  return (
    <>
      <a href={pathTo('monitor', { id: resource.id })} dir="auto">
        {resource.name}
      </a>
      {rule !== null && `: ${rule}`}
    </>
  )
}

function eventOf({ event, incident }: Delivery) {
  const word = event.replaceAll('_', ' ')
  return incident === null ? word : <a href={pathTo('incident', { id: incident })}>{word}</a>
}

function outcomeOf({ status, reason, error, note }: Delivery): string {
  const word = statuses.find(({ value }) => value === status)?.word ?? status
  const why = reason === null ? [] : [reasonWords(reason)]
  // Omits `error` for an HTTP refusal, because it only repeats the status that `reason` contains.
  const more = [reason?.startsWith('http_') ? '' : error, note ?? ''].filter(text => text !== '')
  return [[word, ...why].join(': '), ...more].join('. ')
}

function payloadOf({ payload }: Delivery) {
  if (payload === '') return '–'
  return (
    <details>
      <summary>Show</summary>
      <pre>
        <code>{payload}</code>
      </pre>
    </details>
  )
}
