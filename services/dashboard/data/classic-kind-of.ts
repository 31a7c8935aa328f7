// How generations 1 and 2 know the monitor of a page. Only they delete monitors, and have delivery tables and rules of one monitor.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { classicKind } from '#shared/subjects/classic-kind.ts'

/** Returns `template` for a monitor that generations 1 and 2 do not show. */
export const classicKindOf = ({ kind, resource }: Pick<MonitorDetail, 'kind' | 'resource'>): MonitorDetail['kind'] =>
  classicKind({ kind, template: resource['template'] as string | null })
