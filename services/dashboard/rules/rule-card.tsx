// One rule of a custom subject: its conditions in words, its present verdict, and its actions.
import { useSignal } from '@preact/signals'
import { pathTo } from '../data/routing.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Since } from '../parts/time.tsx'
import { stateOf } from '../words/statuses.ts'
import { ruleWords, spaced } from './rule-words.ts'
import { deleteRule, incidentOf, nameIn, readersOf, type Subject, type SubjectRule } from './subject.ts'

interface CardProps {
  subject: Subject
  rule: SubjectRule
  canChange: boolean
  onChanged(): Promise<void>
}

export function RuleCard({ subject, rule, canChange, onChanged }: CardProps) {
  const isAsked = useSignal(false)
  const { id, name, document } = rule
  const said = subject.detail.rules.find(({ key }) => key === id)?.verdict ?? null
  const readers = readersOf(subject, 'from', id)
  return (
    <li class="card">
      <h3 dir="auto">
        {name} {said !== null && <StatusMark state={said === 'not_judged' ? 'unknown' : said} />}
      </h3>
      <p>{ruleWords(document, input => nameIn(subject, input))}</p>
      <p class="dim">
        Confirmed after {spaced(document.wait.confirm_after)}, closed after {spaced(document.wait.close_after)}.
        {readers.length > 0 && ` Read by ${readers.join(', ')}.`}
      </p>
      {canChange && (
        <div class="acts">
          <a class="button" href={pathTo('rule', { id: subject.id, rule: id })} aria-label={`Edit rule: ${name}`}>
            Edit
          </a>
          {readers.length === 0 && (
            <Button aria-label={`Remove rule: ${name}`} onClick={() => (isAsked.value = true)}>
              Remove
            </Button>
          )}
        </div>
      )}
      {isAsked.value && <Removal subject={subject} rule={rule} onChanged={onChanged} onClose={() => (isAsked.value = false)} />}
    </li>
  )
}

interface RemovalProps extends Omit<CardProps, 'canChange'> {
  onClose(): void
}

function Removal({ subject, rule: { id, name }, onChanged, onClose }: RemovalProps) {
  const incident = incidentOf(subject, id)
  const send = async () => {
    await deleteRule(subject, id)
    announce(`Rule ${name} is removed.`)
    await onChanged()
  }
  return (
    <Confirm title={`Remove ${name}?`} act="Remove rule" send={send} onClose={onClose}>
      <p>Nobody hears of this trouble any more. Its closed incidents stay in the history.</p>
      {incident !== null && (
        <p>
          <strong>Its incident is open</strong>: {stateOf(incident.state).word} for{' '}
          <Since at={Date.parse(incident.trouble_since)} />. It closes at once, and nobody is notified of that.
        </p>
      )}
    </Confirm>
  )
}
