// Uptime of a monitor on each of the last ninety days.
import type { DayBars } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { Days } from '../../charts/days.tsx'
import { askV3 } from '../../data/api.ts'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { pathOfResource } from '../resource-path.ts'

export function UptimeDays({ detail }: { detail: MonitorDetail }) {
  const loaded = useLoaded(() => askV3<DayBars>('GET', `${pathOfResource(detail)}/days?count=90`))
  return <Shown of={loaded}>{({ days, uptime }) => <Days days={days} uptime={uptime} />}</Shown>
}
