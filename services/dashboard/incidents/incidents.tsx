// Incidents of the workspace: open incidents, worst first, then closed incidents by day. The page's address contains the filters.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { now } from '../data/clock.ts'
import { counted, duration } from '../data/format.ts'
import { createPaged, type Paged, readPageOf } from '../data/paged.ts'
import { query, setQuery } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { workspaceId } from '../data/session.ts'
import { onGatheredNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { Button, ShowOlder } from '../parts/button.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { plainWords } from '../words/silence.ts'
import { byDay, byTrouble, type IncidentItem, stateOfItem } from './incident-item.ts'
import style from './incidents.page.css'

addPageStyle(style)

const openPageSize = 200
const closedPageSize = 50
/** Time in which events are collected, ms. All events of this time cause only one read of the lists. */
const gatherMs = 400

function Incidents() {
  pageTitle.value = 'Incidents'
  const filters = filterText(query.value)
  return <Lists key={`${workspaceId.value} ${filters}`} filters={filters} />
}

/** Returns those filters of the address that generation 3 accepts, as a query. */
function filterText(asked: URLSearchParams): string {
  const wanted = new URLSearchParams()
  const rule = asked.get('rule')
  if (rule !== null) wanted.set('rule', rule)
  const acknowledged = asked.get('acknowledged')
  if (acknowledged === 'true' || acknowledged === 'false') wanted.set('acknowledged', acknowledged)
  return wanted.toString()
}

function Lists({ filters }: { filters: string }) {
  const path = `/workspaces/${workspaceId.value}/incidents?${filters === '' ? '' : `${filters}&`}`
  const listOf = (more: string) => createPaged<IncidentItem>(cursor => readPageOf(path + more, cursor))
  const open = useMemo(() => listOf(`lifecycle=open&limit=${openPageSize}`), [])
  const closed = useMemo(() => listOf(`lifecycle=closed&limit=${closedPageSize}`), [])
  useEffect(() => {
    const reload = () => void Promise.all([open.reload(), closed.reload()])
    reload()
    return onGatheredNews(gatherMs, name => name === 'incident' || name === 'reset', reload)
  }, [])
  return (
    <>
      <h1>Incidents</h1>
      <Filters />
      <Open list={open} />
      <Closed list={closed} />
    </>
  )
}

const acknowledgements = [
  { value: '', word: 'All' },
  { value: 'false', word: 'Not acknowledged' },
  { value: 'true', word: 'Acknowledged' },
] as const

function Filters() {
  const chosen = query.value.get('acknowledged') ?? ''
  return (
    <search class="acts">
      {acknowledgements.map(({ value, word }) => (
        <Button
          key={value}
          look={chosen === value ? 'main' : 'quiet'}
          aria-pressed={chosen === value}
          onClick={() => setQuery({ acknowledged: value })}
        >
          {word}
        </Button>
      ))}
      <label>
        Rule{' '}
        <input
          class="input rule-filter"
          type="search"
          maxLength={200}
          placeholder="Key of a rule, such as availability"
          value={query.value.get('rule') ?? ''}
          onChange={event => setQuery({ rule: event.currentTarget.value.trim() })}
        />
      </label>
    </search>
  )
}

function Open({ list }: { list: Paged<IncidentItem> }) {
  const items = list.items.value
  const few = items?.toSorted(byTrouble) ?? []
  return (
    <section aria-labelledby="open">
      <h2 id="open">
        {items === null ? 'Open' : `Open: ${counted(items.length, 'incident')}${list.hasMore.value ? ' and more' : ''}`}
      </h2>
      <Body list={list}>
        <Table label="Open incidents" columns={columns} rows={few} keyOf={keyOf} empty="Nothing is open: all is well." />
      </Body>
    </section>
  )
}

function Closed({ list }: { list: Paged<IncidentItem> }) {
  const days = byDay(list.items.value ?? [])
  return (
    <section aria-labelledby="closed">
      <h2 id="closed">Closed</h2>
      <Body list={list}>
        {days.length === 0 && <p class="dim">No incident has closed yet.</p>}
        {days.map(({ day, items }) => (
          <section key={day} aria-label={day}>
            <h3>{day}</h3>
            <Table label={`Incidents of ${day}`} columns={columns} rows={items} keyOf={keyOf} empty="" />
          </section>
        ))}
      </Body>
    </section>
  )
}

function Body({ list, children }: { list: Paged<IncidentItem>; children: ComponentChildren }) {
  const failure = list.failure.value
  if (failure !== null) return <Failed error={failure} onRetry={() => void list.reload()} />
  if (list.items.value === null) return <Loading />
  return (
    <>
      {children}
      {list.hasMore.value && <ShowOlder what="ones" isBusy={list.isReading.value} run={() => void list.readMore()} />}
    </>
  )
}

const keyOf = ({ id }: IncidentItem): string => id

const columns: readonly Column<IncidentItem>[] = [
  { head: 'Status', cell: item => <StatusMark state={stateOfItem(item)} /> },
  {
    head: 'Incident',
    cell: ({ id, resource, rule, cause, explanation }) => (
      <>
        <a href={pathTo('incident', { id })}>
          <bdi>{resource.name}</bdi>: {rule}
        </a>
        <br />
        <span class="dim">{plainWords(cause ?? explanation, now.value)}</span>
      </>
    ),
  },
  { head: 'Opened', cell: ({ opened_at }) => <Time at={Date.parse(opened_at)} isLong /> },
  { head: 'Duration', isNumber: true, cell: item => <Lasts item={item} /> },
  { head: 'Acknowledged', cell: ({ acknowledgement }) => (acknowledgement === null ? '' : `by ${acknowledgement.by}`) },
]

function Lasts({ item: { opened_at, closed_at } }: { item: IncidentItem }) {
  return <>{duration((closed_at === null ? now.value : Date.parse(closed_at)) - Date.parse(opened_at))}</>
}

export { Incidents as incidents }
