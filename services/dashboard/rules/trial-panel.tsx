// Result of a rule's trial: verdict, readings, and destinations that would be notified. It also says in a sentence what a trial
// cannot show.
import { Fragment } from 'preact'
import type { RuleTrialInput, RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { sentence } from '../data/format.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Since, Time } from '../parts/time.tsx'
import { notifiedWords, type Receivers } from './receivers.ts'
import { consequence, wakes } from './rule-words.ts'
import { nameIn, type Subject } from './subject.ts'
import type { Trial } from './trial.ts'

export function TrialPanel({ subject, trial }: { subject: Subject; trial: Trial }) {
  const { asking, refusal } = trial
  const answer = asking.answer.value
  const why = refusal.value
  return (
    <section class="trial" aria-labelledby="trial" data-old={asking.isOld.value || why !== null}>
      <h2 id="trial">What it would say now</h2>
      {why !== null && <p>It cannot be saved like this yet: {why.message}</p>}
      {why === null && asking.failure.value !== null && <p>The server could not be asked. It is asked again in a moment.</p>}
      {answer === null ? why === null && <p class="dim">Asking…</p> : <Said subject={subject} trial={trial} answer={answer} />}
      <Unknown />
    </section>
  )
}

function Said({ subject, trial, answer }: { subject: Subject; trial: Trial; answer: RuleTrialObject }) {
  const receivers = trial.receivers.value ?? { problem: [], no_data: [], recovery: [] }
  const isKnown = trial.receivers.value !== null
  const { wait } = trial.document.value ?? {}
  const waits = { confirm_after: wait?.confirm_after ?? '2m', close_after: wait?.close_after ?? '2m' }
  return (
    <>
      <div aria-live="polite">
        <p class="verdict">
          <StatusMark state={answer.verdict === 'not_judged' ? 'unknown' : answer.verdict} /> {sentence(answer.explanation)}
        </p>
        <p>{isKnown ? consequence(answer, receivers) : 'Who is notified could not be read.'}</p>
        {answer.incident === null && isKnown && <p>{wakes({ wait: waits }, receivers)}</p>}
      </div>
      <Table<RuleTrialInput>
        label="Readings"
        rows={answer.inputs}
        keyOf={input => `${answer.inputs.indexOf(input)} ${input.input}`}
        empty="It reads nothing."
        columns={columnsFor(subject)}
      />
      {isKnown && <Notified receivers={receivers} />}
    </>
  )
}

const columnsFor = (subject: Subject): readonly Column<RuleTrialInput>[] => [
  { head: 'Reads', cell: ({ input }) => nameOf(subject, input) },
  {
    head: 'Says',
    cell: ({ state, waited_for: waits }) => <StatusMark state={state} {...(waits ? { word: 'Waited for' } : {})} />,
  },
  { head: 'Value', isNumber: true, cell: ({ value }) => value ?? '–' },
  { head: 'Age', isNumber: true, cell: ({ at }) => (at === null ? '–' : <Since at={Date.parse(at)} />) },
  { head: 'Why', cell: input => <Why input={input} /> },
]

function Why({ input: { reason, changes_at: at, waited_for: waits } }: { input: RuleTrialInput }) {
  return (
    <>
      {reason !== null && `${sentence(reason)} `}
      {at !== null && (
        <span class="dim">
          {waits ? 'Waited for until' : 'Silent from'} <Time at={Date.parse(at)} isLong />
        </span>
      )}
    </>
  )
}

function nameOf(subject: Subject, input: string): string {
  const rule = /^rule (.+)$/.exec(input)?.[1]
  return rule === undefined ? nameIn(subject, { signal: input }) : `Rule ${nameIn(subject, { from: rule })}`
}

function Notified({ receivers: { problem, no_data: noData, recovery } }: { receivers: Receivers }) {
  const said = {
    'Of a problem': notifiedWords(problem),
    'Of no data': notifiedWords(noData),
    'Of the recovery': notifiedWords(recovery),
  }
  const different = new Set(Object.values(said))
  return (
    <>
      <h3>Who is notified</h3>
      {different.size === 1 ? (
        <p>{sentence([...different].join())}</p>
      ) : (
        <dl class="facts">
          {Object.entries(said).map(([of, words]) => (
            <Fragment key={of}>
              <dt>{of}</dt>
              <dd>{sentence(words)}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      <p>
        <a href="/settings/destinations">Destinations</a>
      </p>
    </>
  )
}

function Unknown() {
  return (
    <details>
      <summary>What this cannot know</summary>
      <ul class="plain">
        <li>The reports to come. A report that comes before the confirmation may end it.</li>
        <li>What a signal would report that never has. An event that never came counts as ok.</li>
        <li>How often it would have fired before: the newest report of each signal is judged, not its past.</li>
      </ul>
    </details>
  )
}
