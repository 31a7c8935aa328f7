// The dialog that binds all Resources of a revision to another revision. Before the action, the dialog shows how many Incidents would
// close.
import { useSignal } from '@preact/signals'
import { Refusal } from '../../data/api.ts'
import { counted } from '../../data/format.ts'
import { announce } from '../../parts/announce.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/form/dialog.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { type BoundResource, readBound, rebindAll } from './rebind.ts'

interface RebindProps {
  /** Present revision of the Resources, as `key@version`. */
  from: string
  to: string
  onDone(): Promise<void>
  onClose(): void
}

export function RebindDialog({ from, to, onDone, onClose }: RebindProps) {
  const loaded = useLoaded(() => readBound(from))
  if (loaded.value.value === null) {
    return (
      <Dialog title={`Rebind to ${to}`} onClose={onClose}>
        <Shown of={loaded}>{() => null}</Shown>
      </Dialog>
    )
  }
  return <Sure resources={loaded.value.value} from={from} to={to} onDone={onDone} onClose={onClose} />
}

function Sure({ resources, from, to, onDone, onClose }: RebindProps & { resources: readonly BoundResource[] }) {
  const done = useSignal(0)
  const open = resources.filter(one => one.open_incident !== null).length
  const send = async () => {
    try {
      await rebindAll(resources, to, count => (done.value = count))
    } catch (error) {
      await onDone()
      throw new Refusal(0, '', error instanceof Error ? error.message : String(error))
    }
    announce(`${counted(resources.length, 'monitor')} of ${from} bound to ${to}.`)
    await onDone()
  }
  return (
    <Confirm title={`Rebind ${counted(resources.length, 'monitor')} to ${to}?`} act="Rebind" send={send} onClose={onClose}>
      <p>
        {resources.length === 1 ? 'It is' : 'They are'} judged by {to} at once. Answers that both revisions take stay; the others
        take their defaults.
      </p>
      <p>
        {open === 0
          ? 'None of them has an open incident.'
          : `${counted(open, 'monitor')} ${open === 1 ? 'has' : 'have'} open incidents. These close, and nobody hears of it. What still fails opens anew.`}
      </p>
      {done.value > 0 && (
        <p role="status">
          {done} of {resources.length} are bound.
        </p>
      )}
    </Confirm>
  )
}
