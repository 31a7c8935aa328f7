// Commands that make, change and show a Resource of a published Template (docs/reference/v3.md, section 6). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { ResourceView } from '#shared/contracts/resource-views.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Answers, Template } from '#shared/contracts/template.ts'
import { limits } from '#shared/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readWebsiteAnswers } from '#shared/manifest/website-answers.ts'
import { resourceView } from '#shared/resource-view.ts'
import { emptySubject } from './create-subject.ts'
import { judge, judgeSubject } from './judge-subject.ts'
import { type Refusal, refusal } from './refusal.ts'
import { nothingCustom } from './signal-commands.ts'
import type { Obeyed, Surrounding } from './types.ts'
import { templateFault } from './unusable-template.ts'
import { assign, isWatched } from './website-commands.ts'

export function createResource(
  subjectId: string,
  command: CommandOf<'create-resource'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const made = newResource(subjectId, command, at, surrounding)
  return 'refused' in made ? made : shown(judgeSubject(made.subject, at, surrounding), at, surrounding)
}

/** Not judged yet. */
export function newResource(
  subjectId: string,
  command: Omit<CommandOf<'create-resource'>, 'kind'>,
  at: number,
  surrounding: Surrounding,
): { subject: SubjectDocument } | { refused: Refusal } {
  const { workspaceId, slug, template: revision, labels } = command
  const template = usableTemplate({ id: subjectId, kind: 'template', slug, workspaceId, template: revision }, surrounding)
  if ('refused' in template) return template
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
  return { subject: withSignals(bound, template, at) }
}

/** The revision that a Resource is to be bound to. The directory had it a moment ago; one that is gone since is refused, too. */
export function usableTemplate(
  bound: Parameters<typeof templateFault>[0],
  { templateOf }: Surrounding,
): Template | { refused: Refusal } {
  const fault = templateFault(bound, templateOf)
  return fault === null
    ? templateOf(bound)
    : { refused: invalid('template', `The Template ${bound.template} is ${fault} in the store`) }
}

/** Unsent answers stay. It is judged at once with the new ones. */
export function updateResource(
  subject: SubjectDocument,
  command: CommandOf<'update-resource'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const labels = labelsOf(subject.labels, command.labels ?? {})
  if (Object.keys(labels).length > limits.v3.resourceLabels)
    return { refused: invalid('labels', `A Resource has at most ${limits.v3.resourceLabels} labels`) }
  const named = { ...subject, name: command.name ?? subject.name, labels, updatedAt: at }
  const answered = withAnswers(named, command.answers, at, surrounding)
  return 'refused' in answered ? answered : shown(judgeSubject(answered.subject, at, surrounding), at, surrounding)
}

/** A custom subject of generation 2 has no fields. */
function withAnswers(
  subject: SubjectDocument,
  sent: Readonly<Record<string, unknown>> | null,
  at: number,
  surrounding: Surrounding,
): { subject: SubjectDocument } | { refused: Refusal } {
  if (sent === null) return { subject }
  try {
    if (isWatched(subject)) return { subject: assign(subject, readWebsiteAnswers(sent, subject.check), at) }
    const { templated } = subject
    if (templated === null) return { refused: invalid('meta', 'This Resource has no fields') }
    const answers = readAnswers(surrounding.templateOf(subject), sent, templated.answers)
    return { subject: { ...subject, templated: { ...templated, answers } } }
  } catch (error) {
    if (error instanceof ManifestRefusal) return { refused: invalid(error.field, error.message) }
    throw error
  }
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
 * The subject and its view. The rules of an archived one read as they did when it was archived. If its Template is missing or damaged, the view
 * says so.
 */
export function shown(
  subject: SubjectDocument,
  at: number,
  surrounding: Surrounding,
): { subject: SubjectDocument; result: ResourceView } {
  const { templateOf } = surrounding
  const fault = templateFault(subject, templateOf)
  const template = subject.kind === 'template' ? (fault ?? templateOf(subject)) : null
  const judgedAt = Math.max(at, subject.judgedAt)
  const judged = (rule: RuleState) => judge(subject, rule, judgedAt, surrounding)
  return { subject, result: resourceView(subject, template, subject.archivedAt === null ? judged : undefined) }
}

export function answersOf(
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
