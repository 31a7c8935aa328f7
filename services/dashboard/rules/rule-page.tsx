// The pages that create and change a rule. A trial beside the form shows the present verdict of the typed rule.
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { Refusal } from '../data/api.ts'
import { go } from '../data/router.ts'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Empty } from '../parts/states.tsx'
import { placed, type RuleDocument } from './rule-document.ts'
import { RuleForm } from './rule-form.tsx'
import { ruleWords } from './rule-words.ts'
import { createRule, isBuiltIn, nameIn, replaceRule, type Subject, type SubjectRule } from './subject.ts'
import { Crumbs, SubjectFrame } from './subject-frame.tsx'
import { useTrial } from './trial.ts'
import { TrialPanel } from './trial-panel.tsx'

interface PageProps {
  params: Readonly<Record<string, string>>
}

export function NewRule({ params: { id = '' } }: PageProps) {
  pageTitle.value = 'New rule'
  return (
    <SubjectFrame id={id}>
      {subject => {
        if (!may('editor')) return <NotHere subject={subject} title="Not for viewers" words="An editor or owner writes rules." />
        if (subject.signals.length === 0) {
          return <NotHere subject={subject} title="There is nothing to read yet" words="Give the monitor a signal first." />
        }
        return <Editor subject={subject} rule={null} />
      }}
    </SubjectFrame>
  )
}

export function EditRule({ params: { id = '', rule: slug = '' } }: PageProps) {
  return (
    <SubjectFrame id={id}>
      {subject => {
        const rule = subject.rules.find(one => one.id === slug)
        if (rule === undefined) return <NotHere subject={subject} title="There is no such rule" words="It was removed." />
        pageTitle.value = rule.name
        return may('editor') && !isBuiltIn(subject, rule) ? (
          <Editor subject={subject} rule={rule} />
        ) : (
          <Reader subject={subject} rule={rule} />
        )
      }}
    </SubjectFrame>
  )
}

function NotHere({ subject, title, words }: { subject: Subject; title: string; words: string }) {
  return (
    <>
      <Crumbs subject={subject} />
      <h1>Rules of {subject.name}</h1>
      <Empty title={title}>
        <p>
          {words} <a href={`/monitors/${subject.id}/signals`}>To its signals and rules</a>
        </p>
      </Empty>
    </>
  )
}

function firstDocument({ signals }: Subject): RuleDocument {
  const inputs = [{ signal: signals[0]?.id ?? '', mode: 'status' as const }]
  return { inputs, decision: { need: 'any' }, wait: { confirm_after: '2m0s', close_after: '2m0s' } }
}

function Editor({ subject, rule }: { subject: Subject; rule: SubjectRule | null }) {
  const document = rule?.document ?? firstDocument(subject)
  const trial = useTrial(subject, rule?.id ?? null)
  const save = async (body: { name: string; document: object }) => {
    try {
      const saved = rule === null ? await createRule(subject, body) : await replaceRule(subject, rule.id, body)
      announce(`Rule ${saved.name} is saved. It judges from now on.`)
    } catch (error) {
      throw error instanceof Refusal ? placed(error) : error
    }
    go(`/monitors/${subject.id}`)
  }
  return (
    <>
      <Crumbs subject={subject} />
      <h1>{rule === null ? 'New rule' : `Edit rule ${rule.name}`}</h1>
      {isChecked(subject.kind) && (
        <p class="warning">
          <strong>A first rule makes this website a monitor with rules of its own, for good.</strong> Its checks go on. Programs
          of generations 1 and 2 can no longer change it as a website.
        </p>
      )}
      <div class="beside">
        <RuleForm subject={subject} rule={rule} document={document} onTyped={trial.typed} save={save} />
        <TrialPanel subject={subject} trial={trial} />
      </div>
    </>
  )
}

/** Read-only view, for viewers and for the built-in rule of website monitoring. */
function Reader({ subject, rule }: { subject: Subject; rule: SubjectRule }) {
  const isOwn = isBuiltIn(subject, rule)
  const trial = useTrial(subject, isOwn ? null : rule.id, isOwn ? null : rule.document)
  return (
    <>
      <Crumbs subject={subject} />
      <h1>Rule {rule.name}</h1>
      <p>{ruleWords(rule.document, input => nameIn(subject, input))}</p>
      {isOwn ? <p class="dim">Website monitoring keeps this rule.</p> : <TrialPanel subject={subject} trial={trial} />}
    </>
  )
}
