// Signals of a monitor with their last reports. A declared signal also has a command that reports on this signal.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { clockTime } from '../data/format.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Table } from '../parts/table/table.tsx'
import { Since } from '../parts/time.tsx'
import { silentSignals } from '../words/why.ts'
import { CopyCurl } from './copy-curl.tsx'
import { headOfValue, isOfChecksAlone, knownOf, valueIn } from './known.ts'

/** A signal with its newest report. `at` null: it has not reported yet. */
type MonitorSignal = Pick<MonitorDetail['signals'][number], 'signal' | 'value' | 'reason'> & { state: string; at: string | null }

export function Signals({ detail }: { detail: MonitorDetail }) {
  const { signals, resource, workspace_id: workspace } = detail
  const isOfCheck = isOfChecksAlone(detail)
  const { nameOf } = knownOf(detail)
  const silent = silentSignals(detail.rules)
  return (
    <section>
      <h2>{isOfCheck ? 'Locations' : 'Signals'}</h2>
      <Table<MonitorSignal>
        label={isOfCheck ? 'Locations' : 'Signals'}
        rows={[...signals, ...waitingSignals(detail)]}
        keyOf={({ signal }) => signal}
        empty="Nothing has been reported yet."
        columns={[
          { head: isOfCheck ? 'Location' : 'Signal', cell: ({ signal }) => nameOf(signal) },
          { head: 'Reports', cell: ({ signal, state }) => <ReportMark state={state} silentSince={silent.get(signal) ?? null} /> },
          {
            head: headOfValue(detail),
            isNumber: true,
            cell: ({ signal, value }) => valueIn(detail, signal, value) || '–',
          },
          { head: 'Since', isNumber: true, cell: ({ at }) => (at === null ? '–' : <Since at={Date.parse(at)} />) },
          { head: 'Reason', cell: ({ state, reason }) => reason ?? unsaid[state] ?? '' },
        ]}
      />
      {!isOfCheck && (
        <ul class="plain-list">
          {reportedSignals(detail).map(signal => (
            <li key={signal}>
              <code>{signal}</code> <CopyCurl workspace={workspace} resource={String(resource['key'])} signal={signal} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Words about a report that is not ok and gives no reason. */
const unsaid: Readonly<Record<string, string>> = {
  problem: 'a problem, without a reason',
  no_data: 'the sender has no data',
}

/** A silent signal is not ok, whatever its last report said. */
function ReportMark({ state, silentSince }: { state: string; silentSince: number | null }) {
  if (silentSince === null)
    return <StatusMark state={state} word={state === 'unknown' ? 'Waiting for its first report' : undefined} />
  return <StatusMark state="no_data" word={`Silent since ${clockTime(silentSince)}`} />
}

/** Returns the declared signals that have never reported. */
const waitingSignals = ({ expects, signals }: MonitorDetail): MonitorSignal[] =>
  Object.keys(expects)
    .filter(signal => !signals.some(one => one.signal === signal))
    .map(signal => ({ signal, state: 'unknown', value: null, at: null, reason: null }))

const signalsOf = ({ resource }: MonitorDetail) => (resource['signals'] ?? []) as { key: string; kind: string }[]

export const declaredSignals = (detail: MonitorDetail): string[] => signalsOf(detail).map(({ key }) => key)

/** Returns the signals on which senders report, not those that probers check. */
const reportedSignals = (detail: MonitorDetail): string[] =>
  signalsOf(detail).flatMap(({ key, kind }) => (kind === 'check' ? [] : [key]))
