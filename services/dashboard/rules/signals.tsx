// The signals of a custom subject: the kind of each, the rules that read it, and its actions.
import { useSignal } from '@preact/signals'
import { may, workspaceId } from '../data/session.ts'
import { CopyCurl } from '../monitor/copy-curl.tsx'
import { Button } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import { Remove } from '../parts/remove.tsx'
import { Empty } from '../parts/states.tsx'
import { kindWords } from '../words/rules.ts'
import { deleteSignal, readersOf, type Subject, type SubjectSignal } from './subject.ts'

const SignalForm = lazy(() => import('./signal-form.tsx').then(it => it.SignalForm))

export interface PartProps {
  subject: Subject
  reload(): Promise<void>
}

export function Signals({ subject, reload }: PartProps) {
  const isMaking = useSignal(false)
  const { signals, kind } = subject
  return (
    <section>
      <div class="head">
        <h2>Signals</h2>
        {may('editor') && kind === 'custom' && (
          <Button look={signals.length === 0 ? 'main' : 'quiet'} onClick={() => (isMaking.value = true)}>
            Add signal
          </Button>
        )}
      </div>
      {signals.length === 0 && (
        <Empty title="No signals yet">
          <p>A signal is an address to which this monitor reports.</p>
        </Empty>
      )}
      <ul class="cards">
        {signals.map(signal => (
          <Card key={signal.id} subject={subject} signal={signal} reload={reload} />
        ))}
      </ul>
      {isMaking.value && <SignalForm subject={subject} signal={null} onDone={reload} onClose={() => (isMaking.value = false)} />}
    </section>
  )
}

function Card({ subject, signal, reload }: PartProps & { signal: SubjectSignal }) {
  const isChanging = useSignal(false)
  const { id, name, signal_kind: kind } = signal
  const readers = readersOf(subject, 'signal', id)
  const remove = async () => {
    await deleteSignal(subject, id)
    await reload()
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
          <Button aria-label={`Change: ${name}`} onClick={() => (isChanging.value = true)}>
            Change
          </Button>
          {readers.length === 0 && (
            <Remove noun="signal" name={name} send={remove}>
              <p>All that was reported to it is lost. Who reports to it from then on is refused.</p>
            </Remove>
          )}
        </div>
      )}
      {isChanging.value && (
        <SignalForm subject={subject} signal={signal} onDone={reload} onClose={() => (isChanging.value = false)} />
      )}
    </li>
  )
}
