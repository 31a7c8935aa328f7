// Run of Observations through a Template's rules in simulated time, by the keeper's own step. Pure: stores and announces nothing (v3 3.11).
import type { Preview, PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import type { Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import type { Refusal } from '../step/commands/refusal.ts'
import { createResource, newRule, shown } from '../step/commands/resource-commands.ts'
import { judge } from '../step/judging/judge-subject.ts'
import { nextDeadline, step } from '../step/step.ts'
import { nothingHeld, type Step, type StepContext } from '../step/types.ts'
import { KeptIncidents, previewEvidence } from './kept-incidents.ts'
import { PreviewReports } from './preview-reports.ts'

const subjectId = 'preview000'

/** An Observation with its instant and its position in the request. */
interface PlacedObservation {
  sent: SentObservation
  atUs: number
  /** Instant of the Observation, ms. */
  at: number
  place: number
}

/**
 * Yields after each piece of work, so that a caller may pause. Returns the state of each rule at the preview's instant `atUs`. Without
 * `atUs`, that instant is the newest Observation's; without Observations, it is `now` (ms). Throws AppError `validation` with the field at
 * fault.
 *
 * The number of Observations bounds the work. Each Observation moves at most two deadlines of each comparison: silence, and the end of the
 * counting window. A judgement that changes a result begins at most one delay and one window of flapping. Simulated time between deadlines costs nothing.
 */
export function* runPreview({ template, answers, observations, atUs }: Preview, now: number): Generator<void, PreviewRule[]> {
  requireAnswers(template, answers)
  const all = observations.map((sent, place) => ({ sent, place, atUs: sent.atUs as number, at: msOf(sent.atUs as number) }))
  const inOrder = all.toSorted((one, other) => one.atUs - other.atUs || one.place - other.place)
  const untilUs = atUs ?? inOrder.at(-1)?.atUs ?? now * 1_000
  requireSpan(inOrder[0]?.atUs ?? untilUs, untilUs)
  const rules: PreviewRule[] = []
  const request = { answers, until: msOf(untilUs), observations: inOrder.filter(one => one.atUs <= untilUs) }
  for (const rule of template.rules)
    rules.push(yield* runRule({ ...template, rules: [rule] }, rule, request, template.rules.length))
  return rules
}

const msOf = (atUs: number): number => Math.floor(atUs / 1_000)

function requireAnswers(template: Template, answers: Preview['answers']): void {
  try {
    readAnswers(template, answers)
  } catch (error) {
    if (!(error instanceof ManifestRefusal)) throw error
    throw new AppError('validation', error.message, { facts: { field: error.field } })
  }
}

function requireSpan(firstUs: number, untilUs: number): void {
  if (untilUs - firstUs <= limits.preview.spanMs * 1_000) return
  const days = limits.preview.spanMs / 86_400_000
  throw new AppError('validation', `A preview spans at most ${days} days from its first Observation`, { facts: { field: 'at' } })
}

interface Request {
  answers: Preview['answers']
  /** Instant up to which the rule is run, ms. */
  until: number
  observations: readonly PlacedObservation[]
}

/** Runs one rule. A Template's rules do not read each other: each rule runs alone and is judged only at its own deadlines. */
function* runRule(
  template: Template,
  { key }: TemplateRule,
  { answers, until, observations }: Request,
  rules: number,
): Generator<void, PreviewRule> {
  const reports = new PreviewReports()
  const context: StepContext = {
    // This `now` is so late that all reminders count as missed: the machine skips all of them in one transition.
    now: until + limits.keeper.reminderLateMs + 1,
    held: nothingHeld,
    confirmAfterMs: 0,
    closeAfterMs: 0,
    templateOf: () => template,
    isUnannounced: true,
    stored: reports,
  }
  const kept = new KeptIncidents(limits.preview.incidentBytes / rules)
  const settle = ({ subject, pushed = [], places = [] }: Step): SubjectDocument => {
    reports.note({ pushed, places })
    for (const entry of subject?.outbox ?? []) kept.note(entry)
    return { ...(subject as SubjectDocument), outbox: [], hasOutbox: 0 }
  }
  const passDeadlines = function* (from: SubjectDocument, to: number): Generator<void, SubjectDocument> {
    let subject = from
    for (let at = nextDeadline(subject, subject.judgedAt); at !== null && at <= to; at = nextDeadline(subject, at)) {
      subject = settle(step(subject, { kind: 'deadline', subjectId, at }, context))
      yield
    }
    return subject
  }
  let subject = resourceAt(observations[0]?.at ?? until, answers, template, context)
  if (observations.length > 0) subject = unjudged(subject)
  else for (const entry of subject.outbox) kept.note(entry)
  for (const one of observations) {
    subject = yield* passDeadlines(subject, one.at)
    reports.now = one.at
    subject = settle(observe(subject, one, context))
    yield
  }
  subject = yield* passDeadlines(subject, until)
  return { ...ruleAt(subject, key, until, context), incidents: kept.incidents(), incidentsOmitted: kept.omitted }
}

function resourceAt(at: number, answers: Preview['answers'], { key, version }: Template, context: StepContext): SubjectDocument {
  const id = { id: 'preview', workspaceId: 'preview', slug: 'preview', name: 'preview' }
  const command = { kind: 'create-resource' as const, ...id, template: `${key}@${version}`, answers, labels: {} }
  const made = createResource(subjectId, command, at, context)
  if ('refused' in made) throw errorOf(made.refused.error)
  return made.subject
}

/** Returns the subject without verdicts, incidents and counted changes. The Resource is created with its first Observation, so no incident opens earlier. */
const unjudged = (subject: SubjectDocument): SubjectDocument => ({
  ...subject,
  rules: subject.rules.map(({ key }) => newRule(key)),
  incidents: 0,
  dueAt: null,
  outbox: [],
  hasOutbox: 0,
})

/** Steps one Observation. Throws the refusal of the Observation; its `field` contains the Observation's position in the request. */
function observe(subject: SubjectDocument, { sent, at, place }: PlacedObservation, context: StepContext): Step {
  const command = { kind: 'observe' as const, id: `o${place}`, observations: [sent] }
  const taken = step(subject, { kind: 'command', subjectId, at, command }, context)
  if (taken.reply?.ok !== true) throw errorOf(taken.reply?.error)
  const [result] = (taken.reply.result as { results: ObservedResult[] }).results
  if (result?.ok === true) return taken
  const error = errorOf(result?.error)
  const { field } = error.facts
  if (field === undefined) throw error
  throw new AppError(error.code, error.message, { details: error.details, facts: { field: `observations.${place}.${field}` } })
}

const errorOf = (error: Refusal['error'] | undefined): AppError =>
  error === undefined
    ? new AppError('internal', 'Internal error')
    : AppError.fromBody({ ...error, code: error.code as ErrorCode })

function ruleAt(subject: SubjectDocument, key: string, at: number, context: StepContext) {
  const { result } = shown(subject, at, context)
  const [rule] = subject.rules
  if (rule === undefined) throw new AppError('internal', 'Internal error')
  const [view] = result.rules
  const { evidence } = judge(subject, rule, at, context)
  return { key, status: view?.status ?? null, explanation: view?.explanation ?? null, evidence: previewEvidence(evidence) }
}
