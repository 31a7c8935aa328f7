// What a rule would say now: its verdict, what follows from it, what its inputs read, and the readings of all signals.
import type { RuleTrialInput } from '#shared/contracts/session/session-incidents.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { sentenceOf } from '../data/api.ts'
import { instant, latency, sentence } from '../data/format.ts'
import { may } from '../data/session.ts'
import { deliveryWords, readAlertDelivery, tableOf } from '../monitor/messages/alert-delivery.ts'
import { useLoaded } from '../parts/loaded.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Since } from '../parts/time.tsx'
import { trialWords } from '../words/rules.ts'
import type { Subject, SubjectSignal } from './subject.ts'
import type { Trial } from './trial.ts'

export function TrialPanel({ subject, trial, isFault }: { subject: Subject; trial: Trial; isFault: boolean }) {
  const { answer, failure, isOld } = trial
  const said = failure.value === null ? answer.value : null
  return (
    <section class="trial" aria-labelledby="trial" data-old={isOld.value}>
      <h4 id="trial">What it would say now</h4>
      <div aria-live="polite">
        {failure.value !== null && <p>{isFault ? 'Nothing, until the document is right.' : sentenceOf(failure.value)}</p>}
        {said !== null && (
          <p>
            <StatusMark state={said.verdict === 'not_judged' ? 'unknown' : said.verdict} /> {sentence(said.explanation)}{' '}
            {trialWords(said)}
          </p>
        )}
        {said === null && failure.value === null && <p class="dim">Asking…</p>}
      </div>
      {said !== null && <Readings label="Inputs" rows={said.inputs.map(inputReading)} />}
      <Notified subject={subject} />
      <h4>What the signals say now</h4>
      <Readings label="Signals" rows={reportsOf(subject)} />
      <p class="dim">The newest reports are judged, not those before and not those to come.</p>
    </section>
  )
}

interface Reading extends Pick<RuleTrialInput, 'at' | 'reason'> {
  name: string
  state: string
  word?: string | undefined
  value: number | string | null
  more?: string
}

const Readings = ({ label, rows }: { label: string; rows: readonly Reading[] }) => (
  <ul aria-label={label}>
    {rows.map(({ name, state, word, value, at, reason, more }) => (
      <li key={name}>
        <code>{name}</code> <StatusMark state={state} word={word} /> {value === null ? '' : `${value}, `}
        {at !== null && <Since at={Date.parse(at)} />} {at !== null && 'ago. '}
        {reason !== null && sentence(reason)} <span class="dim">{more}</span>
      </li>
    ))}
  </ul>
)

const inputReading = ({ input, changes_at: at, waited_for: waits, ...read }: RuleTrialInput, i: number): Reading => ({
  ...{ ...read, name: `inputs[${i}] ${input}`, word: waits ? 'Waited for' : undefined },
  more: at === null ? '' : `${waits ? 'Waited for until' : 'Unknown without a report by'} ${instant(Date.parse(at))}.`,
})

/** Returns the newest report of each signal; of the checks of a website one for each location. */
function reportsOf({ signals, detail, kind }: Subject): Reading[] {
  const isSilent = ({ id, signal_kind: of }: SubjectSignal) =>
    !detail.signals.some(one => (of === 'platform_http' ? one.location_id !== null : one.signal === id))
  const reports = detail.signals.map(({ signal, location_id: of, ...read }) => ({
    ...{ ...read, name: of === null ? signal : `from ${detail.locations[of] ?? 'a removed location'}` },
    value: isChecked(kind) ? latency(read.value) : read.value,
  }))
  const none = { state: 'unknown', word: 'No report yet', value: null, at: null, reason: null }
  return [...reports, ...signals.filter(isSilent).map(({ id }) => ({ ...none, name: id }))]
}

function Notified({ subject: { kind, detail, slug } }: { subject: Subject }) {
  const table = tableOf(kind, String(detail.resource['id']), slug)
  const read = useLoaded(() => readAlertDelivery(table, may('editor'))).value.value
  return read === null ? null : (
    <p>
      Who is notified: {deliveryWords(read)} <a href="/settings/destinations">Destinations</a>
    </p>
  )
}
