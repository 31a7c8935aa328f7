// Signals of a monitor with their last reports. A declared signal also has a command that reports on this signal.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { latency } from '../data/format.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Table } from '../parts/table/table.tsx'
import { Since } from '../parts/time.tsx'
import { CopyCurl } from './copy-curl.tsx'

type MonitorSignal = MonitorDetail['signals'][number]

export function Signals({ detail }: { detail: MonitorDetail }) {
  const { kind, locations, signals, resource, workspace_id: workspace } = detail
  const isWebsite = kind === 'website'
  const nameOf = ({ signal, location_id: location }: MonitorSignal) =>
    location === null ? signal : (locations[location] ?? location)
  return (
    <section>
      <h2>{isWebsite ? 'Locations' : 'Signals'}</h2>
      <Table<MonitorSignal>
        label={isWebsite ? 'Locations' : 'Signals'}
        rows={signals}
        keyOf={({ signal, location_id }) => `${signal} ${location_id}`}
        empty="Nothing has been reported yet."
        columns={[
          { head: isWebsite ? 'Location' : 'Signal', cell: nameOf },
          { head: 'Reports', cell: ({ state }) => <StatusMark state={state} /> },
          {
            head: isWebsite ? 'Took' : 'Value',
            isNumber: true,
            cell: ({ value }) => (isWebsite ? latency(value) : (value ?? '–')),
          },
          { head: 'Since', isNumber: true, cell: ({ at }) => <Since at={Date.parse(at)} /> },
          { head: 'Reason', cell: ({ reason }) => reason ?? '' },
        ]}
      />
      {!isWebsite && (
        <ul class="plain-list">
          {declaredSignals(detail).map(signal => (
            <li key={signal}>
              <code>{signal}</code> <CopyCurl workspace={workspace} resource={String(resource['key'])} signal={signal} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export const declaredSignals = ({ resource }: MonitorDetail): string[] =>
  ((resource['signals'] ?? []) as { key: string }[]).map(({ key }) => key)
