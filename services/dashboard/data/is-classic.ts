// Whether generations 1 and 2 show the monitor of a page. Only they delete monitors, and have delivery tables and rules of one monitor.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { isOfGenerations1And2 } from '#shared/subjects/classic-kind.ts'

export const isClassic = ({ resource }: Pick<MonitorDetail, 'resource'>): boolean =>
  isOfGenerations1And2(resource as { template: string | null })
