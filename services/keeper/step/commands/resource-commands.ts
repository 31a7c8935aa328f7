// Commands that create, change and show a Resource of a published Template (docs/reference/v3.md, section 6). Pure.

import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { kindOf } from '#shared/checks/registry.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { type Answers, checkKind, type Template } from '#shared/contracts/resources/template.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import type { BoundCheck } from '#shared/manifest/check-options.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { resourceView } from '#shared/subjects/resource-view.ts'
import { noRoom, presentChecks, withChecks } from '../checks/assign-checks.ts'
import { judge, judgeSubject } from '../judging/judge-subject.ts'
import { templateFault } from '../judging/resource-template.ts'
import { withSchedules } from '../schedules/with-schedules.ts'
import type { Handled, Handler, StepContext } from '../types.ts'
import { type Refusal, refusedField } from './refusal.ts'
import { nothingCustom } from './signal-commands.ts'
import { assign, emptySubject, isWatched } from './subject-commands.ts'

export function createResource(
  subjectId: string,
  command: CommandOf<'create-resource'>,
  at: number,
  context: StepContext,
): Handled {
  const made = newResource(subjectId, command, at, context)
  return 'refused' in made ? made : shown(judgeSubject(made.subject, at, context), at, context)
}

/** Returns a new Resource that is not judged yet. */
export function newResource(
  subjectId: string,
  command: Omit<CommandOf<'create-resource'>, 'kind'>,
  at: number,
  context: StepContext,
): { subject: SubjectDocument } | { refused: Refusal } {
  const { workspaceId, slug, template: revision, labels } = command
  const template = usableTemplate({ id: subjectId, kind: 'template', slug, workspaceId, template: revision }, context)
  if ('refused' in template) return template
  const answers = answersOf(template, command.answers, {}, [])
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
  return checked(withSignals(bound, template, at), template, [], at)
}

/** Returns the Resource with the checks and the schedules of its Template. `before`: its checks until now. */
export function checked(
  subject: SubjectDocument,
  template: Template,
  before: readonly BoundCheck[],
  at: number,
): { subject: SubjectDocument } | { refused: Refusal } {
  const { templated } = subject
  if (templated === null) return { subject }
  const next = withChecks({ ...subject, templated }, template, before, at)
  return next === 'no_room' ? { refused: invalid('template', noRoom) } : { subject: withSchedules(next, template, at) }
}

/** Returns the revision to which a Resource is to be bound. Refuses a revision that was removed or damaged since the directory found it. */
export function usableTemplate(
  bound: Parameters<typeof templateFault>[0],
  { templateOf }: StepContext,
): Template | { refused: Refusal } {
  const fault = templateFault(bound, templateOf)
  return fault === null
    ? templateOf(bound)
    : { refused: invalid('template', `The Template ${bound.template} is ${fault} in the store`) }
}

/** Updates the Resource and judges it at once with the new answers. Answers that the command omits stay. */
export const updateResource: Handler<'update-resource'> = (subject, command, at, context) => {
  const labels = labelsOf(subject.labels, command.labels ?? {})
  if (Object.keys(labels).length > limits.v3.resourceLabels)
    return { refused: invalid('labels', `A Resource has at most ${limits.v3.resourceLabels} labels`) }
  const named = { ...subject, name: command.name ?? subject.name, labels, updatedAt: at }
  const answered = withAnswers(named, command.answers, at, context)
  return 'refused' in answered ? answered : shown(judgeSubject(answered.subject, at, context), at, context)
}

function withAnswers(
  subject: SubjectDocument,
  sent: SentMeta | null,
  at: number,
  { templateOf }: StepContext,
): { subject: SubjectDocument } | { refused: Refusal } {
  if (sent === null) return { subject }
  if (isWatched(subject))
    return orRefused(() => ({ subject: assign(subject, readCheckAnswers(kindOf(subject.check), sent, subject.check), at) }))
  const { templated } = subject
  // A custom subject of generation 2 has no fields.
  if (templated === null) return { refused: invalid('meta', 'This Resource has no fields') }
  const template = templateOf(subject)
  const before = presentChecks(subject, templateOf)
  const answers = answersOf(template, sent, templated.answers, before)
  if ('refused' in answers) return answers
  return checked({ ...subject, templated: { ...templated, answers: answers.read } }, template, before, at)
}

/**
 * Returns the subject with the signals that the Template declares. Signals that exist keep their data; signals that the Template lacks are
 * removed.
 */
export function withSignals(subject: SubjectDocument, template: Template, at: number): SubjectDocument {
  const custom = subject.custom ?? nothingCustom
  const kept = custom.signals.filter(
    ({ kind, slug }) => kind !== 'template' || template.signals.some(({ key, kind }) => key === slug && kind !== checkKind),
  )
  const added = template.signals.filter(({ key, kind }) => kind !== checkKind && !kept.some(({ slug }) => slug === key))
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

export const newRule = (key: string): RuleState => ({
  key,
  slug: key,
  name: key,
  policyVersion: 1,
  policy: { language: 'decision' },
  verdict: null,
  incident: null,
})

/**
 * Returns the subject and its view. Rules of an archived subject keep the verdicts that they had when it was archived. If the Template is
 * missing or damaged, the view says so.
 */
export function shown(
  subject: SubjectDocument,
  at: number,
  context: StepContext,
): { subject: SubjectDocument; result: ResourceView } {
  const { templateOf } = context
  const fault = templateFault(subject, templateOf)
  const template = subject.kind === 'template' ? (fault ?? templateOf(subject)) : null
  const judgedAt = Math.max(at, subject.judgedAt)
  const judged = (rule: RuleState) => judge(subject, rule, judgedAt, context)
  return { subject, result: resourceView(subject, template, context, judgedAt, subject.archivedAt === null ? judged : undefined) }
}

/** Returns the validated answers, or the refusal of the first invalid field. `before`: the checks that the Resource has. */
export const answersOf = (
  template: Template,
  sent: SentMeta,
  present: Answers,
  before: readonly BoundCheck[],
): { read: Answers } | { refused: Refusal } => orRefused(() => ({ read: readAnswers(template, sent, present, before) }))

function orRefused<T>(read: () => T): T | { refused: Refusal } {
  try {
    return read()
  } catch (error) {
    if (error instanceof ManifestRefusal) return { refused: invalid(error.field, error.message) }
    throw error
  }
}

type SentMeta = Readonly<Record<string, unknown>>

function labelsOf(present: Record<string, string>, sent: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries({ ...present, ...sent }).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(entries)
}

/** Returns a refusal that names the invalid field. */
export const invalid = (field: string, message: string): Refusal => refusedField(field, message, message).refused
