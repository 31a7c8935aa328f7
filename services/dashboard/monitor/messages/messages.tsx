// Messages about the incidents of a monitor, with their outcome: sent, failed or held back. Shows the newest messages, with a link to all
// messages.
import { useEffect } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { readPageOf } from '../../data/paged.ts'
import { onNews } from '../../data/stream.ts'
import type { Delivery } from '../../deliveries/delivery-page.ts'
import { DeliveryTable } from '../../deliveries/delivery-table.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'

const rows = 10

export function Messages({ detail }: { detail: MonitorDetail }) {
  const id = encodeURIComponent(String(detail.resource['id']))
  const path = `/workspaces/${detail.workspace_id}/deliveries?resource=${id}&limit=${rows}`
  const loaded = useLoaded(() => readPageOf<Delivery>(path, null))
  useEffect(() => onNews(name => void ((name === 'delivery' || name === 'reset') && loaded.reload())), [loaded])
  return (
    <Shown of={loaded}>
      {({ items, next }) => (
        <>
          <DeliveryTable rows={items} isFiltered={false} />
          {next !== null && (
            <p>
              <a href={`/deliveries?monitor=${id}`}>All messages about this monitor</a>
            </p>
          )}
        </>
      )}
    </Shown>
  )
}
