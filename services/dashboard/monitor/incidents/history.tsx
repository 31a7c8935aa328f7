// The open and closed incidents of a monitor, newest first.
import { useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { askV3 } from '../../data/api.ts'
import { now } from '../../data/clock.ts'
import { createLoaded } from '../../data/loaded.ts'
import { Shown } from '../../parts/loaded.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { Table } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { lasted, stateWords } from '../../words/incident.ts'
import { plainWords } from '../../words/silence.ts'

/** An incident as generation 3 lists it. */
interface Incident {
  id: string
  rule: string
  cause: string | null
  explanation: string | null
  opened_at: string
  confirmed_at: string | null
  closed_at: string | null
}

export function History({ detail }: { detail: MonitorDetail }) {
  const { workspace_id: workspace, resource } = detail
  const id = String(resource['id'])
  const open = detail.rules.map(({ incident }) => incident?.id ?? '').join()
  // Reads the list again when an incident opens or closes.
  const incidents = useMemo(() => {
    const loaded = createLoaded(() =>
      askV3<Incident[]>('GET', `/workspaces/${workspace}/resources/${encodeURIComponent(id)}/incidents?limit=20`),
    )
    void loaded.reload()
    return loaded
  }, [workspace, id, open])
  const nameOf = (rule: string) => detail.rules.find(({ key }) => key === rule)?.name ?? rule
  return (
    <Shown of={incidents}>
      {rows => (
        <Table<Incident>
          label="Incidents"
          rows={rows}
          keyOf={one => one.id}
          empty="There was no incident."
          columns={[
            { head: 'Opened', cell: one => <Time at={Date.parse(one.opened_at)} isLong /> },
            {
              head: 'State',
              cell: one => <StatusMark state={one.closed_at !== null ? 'closed' : 'problem'} word={stateWords(one)} />,
            },
            { head: 'Rule', cell: one => <a href={`/incidents/${one.id}`}>{nameOf(one.rule)}</a> },
            { head: 'Why', cell: one => plainWords(one.cause ?? one.explanation ?? '', now.value) },
            { head: 'Lasted', isNumber: true, cell: lasted },
          ]}
        />
      )}
    </Shown>
  )
}
