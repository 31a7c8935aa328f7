// One signal of a custom subject: its kind, the rules that read it, and its actions.
import { useSignal } from '@preact/signals'
import { may, workspaceId } from '../data/session.ts'
import { CopyCurl } from '../monitor/copy-curl.tsx'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { ChangeSignal, kindWords } from './signal-form.tsx'
import { deleteSignal, readersOf, type Subject, type SubjectSignal } from './subject.ts'

interface CardProps {
  subject: Subject
  signal: SubjectSignal
  onChanged(): Promise<void>
}

export function SignalCard({ subject, signal, onChanged }: CardProps) {
  const dialog = useSignal<'change' | 'delete' | null>(null)
  const { id, name, signal_kind: kind } = signal
  const readers = readersOf(subject, 'signal', id)
  const close = () => (dialog.value = null)
  const remove = async () => {
    await deleteSignal(subject, id)
    announce(`Signal ${name} is removed.`)
    await onChanged()
  }
  return (
    <li class="card">
      <h3 dir="auto">
        {name} <code class="label">{id}</code>
      </h3>
      <p class="dim">
        {kindWords[kind]} {readers.length === 0 ? 'No rule reads it.' : `Read by ${readers.join(', ')}.`}
      </p>
      {may('editor') && kind !== 'platform_http' && (
        <div class="acts">
          <CopyCurl workspace={workspaceId.value ?? ''} resource={subject.slug} signal={id} />
          <Button aria-label={`Change: ${name}`} onClick={() => (dialog.value = 'change')}>
            Change
          </Button>
          {readers.length === 0 && (
            <Button aria-label={`Remove signal: ${name}`} onClick={() => (dialog.value = 'delete')}>
              Remove
            </Button>
          )}
        </div>
      )}
      {dialog.value === 'change' && <ChangeSignal subject={subject} signal={signal} onDone={onChanged} onClose={close} />}
      {dialog.value === 'delete' && (
        <Confirm title={`Remove ${name}?`} act="Remove signal" send={remove} onClose={close}>
          <p>All that was reported to it is lost. Who reports to it from then on is refused.</p>
        </Confirm>
      )}
    </li>
  )
}
