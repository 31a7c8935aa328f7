// Signals of a monitor: the last report of each, and the commands that report on them.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { latency } from '../data/format.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Table } from '../parts/table/table.tsx'
import { Since } from '../parts/time.tsx'
import { ReportCommands } from './lazy-parts.ts'

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
      {!isWebsite && <ReportCommands resource={resource} workspace={workspace} />}
    </section>
  )
}
