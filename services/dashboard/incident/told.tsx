// Messages about an incident, newest first: sent, suppressed or failed.
import { Shown } from '../parts/loaded.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { reasonWords } from '../words/reasons.ts'
import type { IncidentPage } from './page-state.ts'
import type { Delivery } from './read.ts'

const outcomes = { delivered: 'Delivered', accepted: 'Accepted', failed: 'Failed', held: 'Kept back' } as const

const columns: readonly Column<Delivery>[] = [
  { head: 'When', cell: ({ at }) => <Time at={Date.parse(at)} isLong /> },
  { head: 'Message', cell: ({ event }) => event },
  { head: 'To', cell: ({ destination }) => destination ?? 'nobody' },
  { head: 'Outcome', cell: ({ status, reason }) => outcomes[status] + (reason === null ? '' : `: ${reasonWords(reason)}`) },
]

export function Told({ page: { deliveries } }: { page: IncidentPage }) {
  return (
    <section aria-labelledby="told">
      <h2 id="told">Messages</h2>
      <Shown of={deliveries}>
        {rows => (
          <Table
            label="Messages about the incident"
            columns={columns}
            rows={rows}
            keyOf={({ at, destination, event }) => `${at} ${destination} ${event}`}
            empty="Nobody has been notified of this incident."
          />
        )}
      </Shown>
    </section>
  )
}
