// The signals and rules of a custom subject, and its deletion.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { counted } from '../data/format.ts'
import type { Loaded } from '../data/loaded.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/states.tsx'
import { RuleCard } from './rule-card.tsx'
import { SignalCard } from './signal-card.tsx'
import { NewSignal } from './signal-form.tsx'
import { deleteSubject, isBuiltIn, type Subject } from './subject.ts'
import { Crumbs, SubjectFrame } from './subject-frame.tsx'

export function SubjectPage({ params: { id = '' } }: { params: Readonly<Record<string, string>> }) {
  return <SubjectFrame id={id}>{(subject, loaded) => <Parts subject={subject} loaded={loaded} />}</SubjectFrame>
}

interface PartProps {
  subject: Subject
  loaded: Loaded<Subject>
}

function Parts({ subject, loaded }: PartProps) {
  useEffect(() => followNews(subject.id, loaded), [subject.id, loaded])
  pageTitle.value = `Signals and rules of ${subject.name}`
  return (
    <>
      <Crumbs subject={subject} />
      <h1>
        Signals and rules of <span dir="auto">{subject.name}</span>
      </h1>
      <Signals subject={subject} loaded={loaded} />
      <Rules subject={subject} loaded={loaded} />
      {may('editor') && subject.kind === 'custom' && <Deletion subject={subject} />}
    </>
  )
}

/** Time in which events are collected, ms. One step of the keeper causes several events, which then cause only one request. */
const settleMs = 150

function followNews(subjectId: string, loaded: Loaded<Subject>): () => void {
  const isAbout: IsWanted = (name, data) => {
    const { id, monitor } = data as { id?: unknown; monitor?: unknown }
    return name === 'reset' || (name !== 'reading' && (id === subjectId || monitor === subjectId))
  }
  return onGatheredNews(settleMs, isAbout, () => void loaded.reload())
}

function Signals({ subject, loaded }: PartProps) {
  const isMaking = useSignal(false)
  return (
    <section aria-labelledby="signals">
      <div class="head">
        <h2 id="signals">Signals</h2>
        {may('editor') && subject.kind === 'custom' && (
          <Button look={subject.signals.length === 0 ? 'main' : 'quiet'} onClick={() => (isMaking.value = true)}>
            Add signal
          </Button>
        )}
      </div>
      {subject.signals.length === 0 ? (
        <Empty title="No signals yet">
          <p>A signal is an address to which this monitor reports.</p>
        </Empty>
      ) : (
        <ul class="cards">
          {subject.signals.map(signal => (
            <SignalCard key={signal.id} subject={subject} signal={signal} onChanged={loaded.reload} />
          ))}
        </ul>
      )}
      {isMaking.value && <NewSignal subject={subject} onDone={loaded.reload} onClose={() => (isMaking.value = false)} />}
    </section>
  )
}

function Rules({ subject, loaded }: PartProps) {
  const canAdd = may('editor') && subject.signals.length > 0
  return (
    <section aria-labelledby="rules">
      <div class="head">
        <h2 id="rules">Rules</h2>
        {canAdd && (
          <ButtonLink look={subject.rules.length === 0 ? 'main' : 'quiet'} href={pathTo('newRule', { id: subject.id })}>
            Add rule
          </ButtonLink>
        )}
      </div>
      {subject.rules.length === 0 ? (
        <NoRules subject={subject} />
      ) : (
        <ul class="cards">
          {subject.rules.map(rule => (
            <RuleCard
              key={rule.id}
              subject={subject}
              rule={rule}
              canChange={may('editor') && !isBuiltIn(subject, rule)}
              onChanged={loaded.reload}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function NoRules({ subject: { kind, signals } }: { subject: Subject }) {
  if (isChecked(kind)) {
    return (
      <Empty title="No rules of its own">
        <p>Website monitoring judges it by its locations. A first rule gives it rules of its own, for good.</p>
      </Empty>
    )
  }
  return (
    <Empty title="No rules yet">
      <p>A signal that no rule reads raises nothing. {signals.length === 0 && may('editor') && 'Add a signal first.'}</p>
    </Empty>
  )
}

function Deletion({ subject }: { subject: Subject }) {
  const isAsked = useSignal(false)
  const { name, signals, rules, detail } = subject
  const isChecked = signals.some(({ signal_kind: kind }) => kind === 'platform_http')
  const open = detail.rules.filter(rule => rule.incident !== null).length
  const send = async () => {
    await deleteSubject(subject)
    announce(`${name} is deleted.`)
    go('/')
  }
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">Deletion</h2>
      <Button onClick={() => (isAsked.value = true)}>Delete this monitor</Button>
      {isAsked.value && (
        <Confirm title={`Delete ${name}?`} act="Delete monitor" send={send} onClose={() => (isAsked.value = false)}>
          <p>
            {counted(signals.length, 'signal')} with all that they reported, {counted(rules.length, 'rule')}, and the whole
            history of its incidents are lost.{isChecked && ' Its checks end.'}
          </p>
          {open > 0 && (
            <p>
              {counted(open, 'incident')} {open === 1 ? 'is' : 'are'} open: nobody will be notified of a recovery.
            </p>
          )}
        </Confirm>
      )}
    </section>
  )
}
