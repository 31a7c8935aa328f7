// The rules of a custom subject. One of them, or a new one, can be open in the editor.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { now } from '../data/clock.ts'
import { sentence } from '../data/format.ts'
import { may } from '../data/session.ts'
import { Button } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import { Remove } from '../parts/remove.tsx'
import { Empty } from '../parts/states.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Since } from '../parts/time.tsx'
import { mayLeave } from '../parts/unsaved.ts'
import { plainWords } from '../words/silence.ts'
import { stateOf } from '../words/statuses.ts'
import type { PartProps } from './signals.tsx'
import { deleteRule, isBuiltIn, readersOf, type SubjectRule } from './subject.ts'

const RuleEditor = lazy(() => import('./rule-editor.tsx').then(it => it.RuleEditor))

/** Anchor of a rule in links; null: a new rule. */
const anchorOf = (rule: SubjectRule | null): string => (rule === null ? 'new-rule' : `rule-${rule.id}`)

const goToAnchor = (anchor: string) => requestAnimationFrame(() => document.getElementById(anchor)?.focus())

export function Rules({ subject, reload }: PartProps) {
  const { kind, signals, rules } = subject
  const canAdd = may('editor') && signals.length > 0
  const canOpen = [...rules.filter(rule => !isBuiltIn(subject, rule)), ...(canAdd ? [null] : [])]
  const linked = canOpen.find(rule => `#${anchorOf(rule)}` === decodeURIComponent(location.hash))
  // The rule as it was when it was opened, so that typed text stays if another person removes it. Null: a new rule; undefined: none is open.
  const opened = useSignal(linked)
  useEffect(() => {
    if (linked !== undefined) document.getElementById(anchorOf(linked))?.scrollIntoView()
  }, [])
  const open = (rule: SubjectRule | null) => {
    if (mayLeave()) opened.value = rule
  }
  const close = (to: string) => {
    opened.value = undefined
    goToAnchor(to)
  }
  const shown = opened.value
  const cards = shown === undefined || rules.some(({ id }) => id === shown?.id) ? rules : [shown, ...rules]
  const editor = (rule: SubjectRule | null) => (
    <RuleEditor
      {...{ subject, rule }}
      onSaved={async saved => {
        await reload()
        close(anchorOf(saved))
      }}
      onLeave={() => mayLeave() && close(rule === null ? 'rules' : anchorOf(rule))}
    />
  )
  return (
    <section aria-labelledby="rules">
      <div class="head">
        <h2 id="rules" tabIndex={-1}>
          Rules
        </h2>
        {canAdd && shown !== null && (
          <Button look={rules.length === 0 ? 'main' : 'quiet'} onClick={() => open(null)}>
            Add rule
          </Button>
        )}
      </div>
      {cards.length === 0 && (
        <Empty title={isChecked(kind) ? 'No rules of its own' : 'No rules yet'}>
          <p>
            {isChecked(kind)
              ? 'Website monitoring judges it by its locations. A first rule gives it rules of its own, for good.'
              : 'A signal that no rule reads raises nothing.'}
          </p>
        </Empty>
      )}
      <ul class="cards">
        {cards.map(rule => (
          <li key={anchorOf(rule)} class="card" id={anchorOf(rule)} tabIndex={-1}>
            {rule === null && <h3>New rule</h3>}
            {rule === null && isChecked(kind) && <p class="banner">{forGood}</p>}
            {rule !== null && (
              <Rule {...{ subject, rule, reload }} onOpen={() => open(rule)} opened={shown?.id === rule.id ? shown : null} />
            )}
            {shown !== undefined && shown?.id === rule?.id && editor(shown)}
          </li>
        ))}
      </ul>
    </section>
  )
}

const forGood =
  'A first rule makes this website a monitor with rules of its own, for good. Its checks go on. Programs of generations 1 and 2 can no longer change it as a website.'

interface RuleProps extends PartProps {
  rule: SubjectRule
  /** The rule as it was when it was opened; null: it is closed. */
  opened: SubjectRule | null
  onOpen(): void
}

function Rule({ subject, rule, opened, reload, onOpen }: RuleProps) {
  const { id, name } = rule
  const judged = subject.detail.rules.find(({ key }) => key === id)
  const readers = readersOf(subject, 'from', id)
  const words = may('editor') ? 'Edit' : 'Show'
  const remove = async () => {
    await deleteRule(subject, id)
    await reload()
  }
  return (
    <>
      <h3 dir="auto">
        {name} {judged?.verdict != null && <StatusMark state={judged.verdict === 'not_judged' ? 'unknown' : judged.verdict} />}
      </h3>
      <p class="dim">
        {judged?.explanation != null && sentence(plainWords(judged.explanation, now.value))}{' '}
        {readers.length > 0 && `Read by ${readers.join(', ')}.`}
      </p>
      {opened !== null && JSON.stringify(opened) !== JSON.stringify(rule) && (
        <p class="banner">Another person has saved this rule since you opened it. Saving replaces theirs.</p>
      )}
      {isBuiltIn(subject, rule) && <p class="dim">Website monitoring keeps this rule.</p>}
      {opened === null && !isBuiltIn(subject, rule) && (
        <div class="acts">
          <Button aria-label={`${words} rule: ${name}`} onClick={onOpen}>
            {words}
          </Button>
          {may('editor') && readers.length === 0 && (
            <Remove noun="rule" name={name} send={remove}>
              <p>Nobody hears of this trouble any more. Its closed incidents stay in the history.</p>
              {judged?.incident != null && (
                <p>
                  <strong>Its incident is open</strong>: {stateOf(judged.incident.state).word} for{' '}
                  <Since at={Date.parse(judged.incident.trouble_since)} />. It closes at once, and nobody is notified of that.
                </p>
              )}
            </Remove>
          )}
        </div>
      )}
    </>
  )
}
