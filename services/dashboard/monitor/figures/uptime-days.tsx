// Uptime of a monitor on each of the last ninety days.
import type { DayBars } from '#shared/contracts/session/session-charts.ts'
import { Days } from '../../charts/days.tsx'
import { read } from '../../data/api.ts'
import { Shown, useLoaded } from '../../parts/loaded.tsx'

export function UptimeDays({ id }: { id: string }) {
  const loaded = useLoaded(() => read<DayBars>(`/session/monitors/${encodeURIComponent(id)}/days?count=90`))
  return <Shown of={loaded}>{({ days, uptime }) => <Days days={days} uptime={uptime} />}</Shown>
}
