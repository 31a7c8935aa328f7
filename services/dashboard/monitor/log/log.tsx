// The Observation log of all days or of one day: reports and checks, newest first. The log does not contain verdicts of rules.
import { useSignal } from '@preact/signals'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { read } from '../../data/api.ts'
import { query, setQuery } from '../../data/router.ts'
import { useAct } from '../../parts/act.ts'
import { Button, ShowOlder } from '../../parts/button.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { Tabs } from '../../parts/table/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { headOfValue, isOfChecksAlone, nameIn, valueIn } from '../known.ts'
import { type LogFilters, type Logged, logAddress, logRows, rejectionWords } from './log-page.ts'

const kinds = [
  { id: 'all', word: 'All' },
  { id: 'unaccepted', word: 'Unaccepted' },
]

export function Log({ detail }: { detail: MonitorDetail }) {
  const isUnaccepted = query.value.get('log') === 'unaccepted'
  const day = query.value.get('day') ?? ''
  return (
    <Tabs
      label="Observations"
      of={kinds}
      chosen={isUnaccepted ? 'unaccepted' : 'all'}
      onChoose={kind => setQuery({ log: kind === 'all' ? null : kind })}
    >
      <p class="acts">
        <label>
          Day{' '}
          <input class="input choice" type="date" value={day} onChange={event => setQuery({ day: event.currentTarget.value })} />
        </label>
        {day !== '' && (
          <Button look="quiet" onClick={() => setQuery({ day: null })}>
            All days
          </Button>
        )}
      </p>
      <Rows key={`${isUnaccepted} ${day}`} detail={detail} filters={{ isUnaccepted, day, before: null }} />
    </Tabs>
  )
}

const readLog = async (detail: MonitorDetail, filters: LogFilters) =>
  (await read<{ observations: Logged[] }>(logAddress(String(detail.resource['id']), filters))).observations

function Rows({ detail, filters }: { detail: MonitorDetail; filters: LogFilters }) {
  const first = useLoaded(() => readLog(detail, filters))
  return <Shown of={first}>{rows => <Pages first={rows} detail={detail} filters={filters} />}</Shown>
}

/** Shows the first page of rows, and the further pages that the person has requested. */
function Pages({ first, detail, filters }: { first: readonly Logged[]; detail: MonitorDetail; filters: LogFilters }) {
  const rows = useSignal(first)
  const hasMore = useSignal(first.length === logRows)
  const more = useAct(async () => {
    const older = await readLog(detail, { ...filters, before: rows.peek().at(-1)?.at ?? null })
    rows.value = [...rows.peek(), ...older]
    hasMore.value = older.length === logRows
    return older.length === 0 ? 'There is nothing older.' : `${older.length} older rows are shown.`
  })
  return (
    <>
      <Table
        label="Observation log"
        rows={rows.value}
        keyOf={({ id, at }) => `${id} ${at}`}
        empty={emptyWords(filters)}
        columns={columnsFor(detail)}
      />
      {hasMore.value && <ShowOlder what="rows" isBusy={more.isBusy} run={more.run} />}
    </>
  )
}

function emptyWords({ isUnaccepted, day }: LogFilters): string {
  if (isUnaccepted) return day === '' ? 'Every report was accepted.' : 'Every report of this day was accepted.'
  return day === '' ? 'Nothing has been reported yet.' : 'Nothing was reported on this day.'
}

const columnsFor = (detail: MonitorDetail): readonly Column<Logged>[] => [
  { head: 'At', cell: ({ at }) => <Time at={Date.parse(at)} isLong /> },
  {
    head: isOfChecksAlone(detail) ? 'Location' : 'Signal',
    cell: ({ signal }) => nameIn(detail, signal),
  },
  { head: 'Reports', cell: ({ state }) => <StatusMark state={state} /> },
  {
    head: headOfValue(detail),
    isNumber: true,
    cell: ({ signal, value }) => valueIn(detail, signal, value),
  },
  { head: 'Source', cell: ({ source }) => sources[source] ?? source },
  {
    head: 'Reason',
    cell: ({ reason, rejected }) => [rejected === null ? '' : rejectionWords(rejected), reason ?? ''].filter(Boolean).join('; '),
  },
]

const sources: Readonly<Record<string, string>> = { worker: 'check', api: 'API', address: 'Observation address' }
