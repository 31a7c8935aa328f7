// Dialog before a monitor is archived or deleted. The dialog names everything that the person loses. The result is shown on the monitoring
// page.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { go } from '../../data/router.ts'
import { announce } from '../../parts/announce.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { type End, endMonitor, endWords, lossesOf } from './farewell.ts'

export function EndDialog({ end, detail, onClose }: { end: End; detail: MonitorDetail; onClose(): void }) {
  const send = async () => {
    const sentence = await endMonitor(end, detail)
    go('/')
    announce(sentence)
  }
  return (
    <Confirm
      title={`${endWords[end]} ${String(detail.resource['name'])}?`}
      act={`${endWords[end]} monitor`}
      send={send}
      onClose={onClose}
    >
      {lossesOf(end, detail).map(loss => (
        <p key={loss}>{loss}</p>
      ))}
    </Confirm>
  )
}
