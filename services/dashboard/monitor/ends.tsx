// What ends that the checks of a monitor watch, such as a certificate, with its days. It is read again when the monitor changes.
import { useEffect, useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { askV3 } from '../data/api.ts'
import { now } from '../data/clock.ts'
import { instant } from '../data/format.ts'
import { createLoaded } from '../data/loaded.ts'
import { type Ending, endWords } from '../words/ends.ts'

/** Shows nothing until it is known, or if it cannot be read. */
export function Ends({ detail }: { detail: MonitorDetail }) {
  const { workspace_id: workspace, resource } = detail
  const path = `/workspaces/${workspace}/figures?resources=${String(resource['id'])}`
  const figures = useMemo(() => createLoaded(() => askV3<readonly { ends: Ending | null }[]>('GET', path)), [path])
  useEffect(() => void figures.reload(), [figures, detail])
  const ends = figures.value.value?.[0]?.ends
  if (!ends) return null
  return (
    <p class="dim">
      The {endWords(ends, now.value)}, {instant(Date.parse(ends.at))}.
    </p>
  )
}
