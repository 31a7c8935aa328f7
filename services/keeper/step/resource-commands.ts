// Commands that make, change and show a Resource of a published Template (docs/reference/v3.md, section 6). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Answers, Template } from '#shared/contracts/template.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { resourceView } from '#shared/resource-view.ts'
import { emptySubject } from './create-subject.ts'
import { judge, judgeSubject } from './judge-subject.ts'
import { type Refusal, refusal } from './refusal.ts'
import { nothingCustom } from './signal-commands.ts'
import type { Obeyed, Surrounding } from './types.ts'

export function createResource(
  subjectId: string,
  command: CommandOf<'create-resource'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const { workspaceId, template: revision, labels } = command
  const template = surrounding.templateOf({ id: subjectId, workspaceId, template: revision })
  const answers = answersOf(template, command.answers, {})
  if ('refused' in answers) return answers
  const bound: SubjectDocument = {
    ...emptySubject(subjectId, command, at),
    kind: 'template',
    template: revision,
    check: null,
    labels,
    templated: { answers: answers.read, heard: {} },
    custom: nothingCustom,
    rules: template.rules.map(rule => newRule(rule.key)),
  }
  return shown(judgeSubject(withSignals(bound, template, at), at, surrounding), at, surrounding)
}

/** Unsent answers stay. It is judged at once with the new ones. */
export function updateResource(
  subject: SubjectDocument,
  command: CommandOf<'update-resource'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const { templated } = subject
  if (templated === null) return { refused: invalid('meta', 'This Resource has no fields') }
  const answers = answersOf(surrounding.templateOf(subject), command.answers ?? {}, templated.answers)
  if ('refused' in answers) return answers
  const labels = labelsOf(subject.labels, command.labels ?? {})
  const name = command.name ?? subject.name
  const changed = { ...subject, name, labels, templated: { ...templated, answers: answers.read }, updatedAt: at }
  return shown(judgeSubject(changed, at, surrounding), at, surrounding)
}

/** As the rules read at `at`, whatever was last recorded. Changes nothing. */
export const readResource = (subject: SubjectDocument, at: number, surrounding: Surrounding): Obeyed => ({
  ...shown(subject, at, surrounding),
  subject,
})

/** The signals that the Template declares: those that are there keep what hangs on them, gone ones leave. */
export function withSignals(subject: SubjectDocument, template: Template, at: number): SubjectDocument {
  const custom = subject.custom ?? nothingCustom
  const kept = custom.signals.filter(
    ({ kind, slug }) => kind !== 'template' || template.signals.some(signal => signal.key === slug),
  )
  const added = template.signals.filter(({ key }) => !kept.some(({ slug }) => slug === key))
  const made = added.map(({ key }, i) => ({
    key: `s${custom.signalsMade + i + 1}`,
    slug: key,
    name: key,
    kind: 'template' as const,
    meta: '{}',
    addedAt: at,
  }))
  return { ...subject, custom: { ...custom, signals: [...kept, ...made], signalsMade: custom.signalsMade + made.length } }
}

const newRule = (key: string): RuleState => ({
  key,
  slug: key,
  name: key,
  policyVersion: 1,
  policy: { language: 'decision' },
  verdict: null,
  incident: null,
})

function shown(subject: SubjectDocument, at: number, surrounding: Surrounding): { subject: SubjectDocument; result: unknown } {
  const template = subject.kind === 'template' ? surrounding.templateOf(subject) : null
  const judgedAt = Math.max(at, subject.judgedAt)
  return { subject, result: resourceView(subject, template, rule => judge(subject, rule, judgedAt, surrounding)) }
}

function answersOf(
  template: Template,
  sent: Readonly<Record<string, unknown>>,
  present: Answers,
): { read: Answers } | { refused: Refusal } {
  try {
    return { read: readAnswers(template, sent, present) }
  } catch (error) {
    if (error instanceof ManifestRefusal) return { refused: invalid(error.field, error.message) }
    throw error
  }
}

function labelsOf(present: Record<string, string>, sent: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries({ ...present, ...sent }).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(entries)
}

/** A refusal that names the field at fault. */
export function invalid(field: string, message: string): Refusal {
  const { error } = refusal('validation', message)
  return { ok: false, error: { ...error, facts: { field } } }
}
