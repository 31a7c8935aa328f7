// Values of checks and uptime of the visible rows. They are read later than the rows. If a figure cannot be read, a dash is shown.
import { signal } from '@preact/signals'
import { askV3 } from '../data/api.ts'
import { workspaceId } from '../data/session.ts'
import type { Ending } from '../words/ends.ts'

export interface Figure {
  /** 95th percentile of the values of checks; null: nothing was measured. */
  p95: number | null
  /** Unit of `p95`; null: there is no check. */
  unit: string | null
  /** Uptime: part of the last 30 days without trouble, 0 to 1; null: nothing was measured. */
  uptime_30d: number | null
  /** What ends that its checks watch, such as a certificate; null: nothing. */
  ends: Ending | null
}

export const figures = signal<ReadonlyMap<string, Figure>>(new Map())

/** Maximum number of monitors in one request for figures. */
const most = 100
const asked = new Set<string>()

/** Reads the figures of these monitors unless they were requested before. */
export async function needFigures(ids: readonly string[]): Promise<void> {
  const missing = ids.filter(id => !asked.has(id)).slice(0, most)
  if (missing.length === 0) return
  for (const id of missing) asked.add(id)
  try {
    const path = `/workspaces/${workspaceId.peek()}/figures?resources=${missing.join(',')}`
    const found = await askV3<readonly (Figure & { resource: string })[]>('GET', path)
    figures.value = new Map([...figures.value, ...found.map(figure => [figure.resource, figure] as const)])
  } catch {
    // Ignores the failure, because rows are useful without figures. The next visit to the list requests the missing figures again.
    for (const id of missing) asked.delete(id)
  }
}
