// Buttons that archive or delete a monitor.
import { useSignal } from '@preact/signals'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { Button } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { type End, endsOf, endWords } from './farewell.ts'

const EndDialog = lazy(() => import('./end-dialog.tsx').then(it => it.EndDialog))

export function EndActs({ detail }: { detail: MonitorDetail }) {
  const asked = useSignal<End | null>(null)
  const end = asked.value
  return (
    <p class="acts">
      {endsOf(detail).map(one => (
        <Button
          key={one}
          onClick={() => {
            asked.value = one
          }}
        >
          {endWords[one]}
        </Button>
      ))}
      {end !== null && (
        <EndDialog
          end={end}
          detail={detail}
          onClose={() => {
            asked.value = null
          }}
        />
      )}
    </p>
  )
}
