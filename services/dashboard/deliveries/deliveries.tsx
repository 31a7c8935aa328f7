// Every message of the workspace that was sent or held back, newest first. The page's address contains the filters.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { askV3 } from '../data/api.ts'
import { createLoaded } from '../data/loaded.ts'
import { type PageOf, readPageOf } from '../data/paged.ts'
import { query, setQuery } from '../data/router.ts'
import { workspace } from '../data/session.ts'
import { onNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { useAct } from '../parts/act.ts'
import { ShowOlder } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import style from '../styles/settings.page.css'
import { type Delivery, deliveriesPath, statuses } from './delivery-page.ts'
import { DeliveryTable } from './delivery-table.tsx'

addPageStyle(style)

function Deliveries() {
  pageTitle.value = 'Deliveries'
  const filters = query.value.toString()
  return (
    <>
      <h1>Deliveries</h1>
      <p class="dim">What was sent from {workspace.value?.name}, and what was kept back and why. Rows are kept for 30 days.</p>
      {query.value.has('monitor') && (
        <p>
          Only messages about one monitor. <a href="/deliveries">Show those of all monitors</a>
        </p>
      )}
      <Filters />
      <Log key={filters} filters={filters} />
    </>
  )
}

function Filters() {
  const path = `/workspaces/${encodeURIComponent(workspace.value?.id ?? '')}/destinations`
  const loaded = useLoaded(() => askV3<readonly { id: string; name: string }[]>('GET', path))
  const chosen = query.value.get('destination') ?? ''
  const destinations = loaded.value.value ?? []
  // Adds the chosen destination to the list if it was deleted, because the log has rows of deleted destinations too.
  const gone = chosen === '' || destinations.some(({ id }) => id === chosen) ? [] : [{ id: chosen, name: chosen }]
  return (
    <div class="acts">
      <select
        class="input choice"
        aria-label="Outcome"
        value={query.value.get('status') ?? ''}
        onChange={event => setQuery({ status: event.currentTarget.value })}
      >
        {statuses.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      <select
        class="input choice"
        aria-label="Destination"
        value={chosen}
        onChange={event => setQuery({ destination: event.currentTarget.value })}
      >
        <option value="">All destinations</option>
        {[...gone, ...destinations].map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

function Log({ filters }: { filters: string }) {
  const loaded = useMemo(() => createLoaded(() => readPageOf<Delivery>(deliveriesPath(filters), null)), [])
  const older = useSignal<PageOf<Delivery> | null>(null)
  useEffect(() => {
    void loaded.reload()
    // The first page is read again only if no older rows are shown. Otherwise rows between the new first page and the older rows could be
    // missing.
    return onNews(name => {
      if ((name === 'delivery' || name === 'reset') && older.peek() === null) void loaded.reload()
    })
  }, [loaded, older])
  return (
    <Shown of={loaded}>
      {first => <Rows first={first} older={older.value} filters={filters} onOlder={page => (older.value = page)} />}
    </Shown>
  )
}

interface RowsProps {
  first: PageOf<Delivery>
  older: PageOf<Delivery> | null
  filters: string
  onOlder(page: PageOf<Delivery>): void
}

function Rows({ first, older, filters, onOlder }: RowsProps) {
  const next = (older ?? first).next
  const more = useAct(async () => {
    const page = await readPageOf<Delivery>(deliveriesPath(filters), next)
    onOlder({ items: [...(older?.items ?? []), ...page.items], next: page.next })
    return `${page.items.length} older deliveries are shown.`
  })
  return (
    <>
      <DeliveryTable rows={[...first.items, ...(older?.items ?? [])]} isFiltered={filters !== ''} />
      {next !== null && <ShowOlder what="deliveries" isBusy={more.isBusy} run={more.run} />}
    </>
  )
}

export { Deliveries as deliveries }
