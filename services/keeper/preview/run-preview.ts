// Runs Observations through the rules of a Template in their own time, by the keeper's own steps: the same judge, the same incident machine, the
// same deadlines between. Pure: stores and announces nothing. Rule: docs/reference/v3.md, 3.11.
import type { Preview, PreviewRule } from '#shared/contracts/preview.ts'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template, TemplateRule } from '#shared/contracts/template.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { judge } from '../step/judge-subject.ts'
import type { Refusal } from '../step/refusal.ts'
import { createResource, readResource } from '../step/resource-commands.ts'
import { nextDeadline, step } from '../step/step.ts'
import { nothingHeld, type Step, type Surrounding } from '../step/types.ts'
import { KeptIncidents, previewEvidence } from './kept-incidents.ts'
import { PreviewReports } from './preview-reports.ts'

const subjectId = 'preview000'

/** An Observation with its instant and its place in the request. */
interface Placed {
  sent: SentObservation
  atUs: number
  /** Ms. */
  at: number
  place: number
}

/**
 * Yields after each piece of work, so that a caller may pause, and returns the rules at `at`. `now` (ms) is the instant of a preview without
 * Observations. Throws AppError `validation` with the field at fault.
 *
 * The work is bounded by the Observations: each moves at most two deadlines of each comparison (quiet, and the end of its window), and a judgement
 * that changes a result begins at most one hold. Time that passes between them costs nothing.
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
  /** Ms. */
  until: number
  observations: readonly Placed[]
}

/** Rules of a Template do not read each other: each runs by itself and is judged at its own deadlines alone. */
function* runRule(
  template: Template,
  { key }: TemplateRule,
  { answers, until, observations }: Request,
  rules: number,
): Generator<void, PreviewRule> {
  const reports = new PreviewReports()
  const surrounding: Surrounding = {
    // So late that all reminders are missed: the machine skips them in one transition.
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
    for (const pending of subject?.pending ?? []) kept.note(pending)
    return { ...(subject as SubjectDocument), pending: [], hasPending: 0 }
  }
  const passDeadlines = function* (from: SubjectDocument, to: number): Generator<void, SubjectDocument> {
    let subject = from
    for (let at = nextDeadline(subject, subject.judgedAt); at !== null && at <= to; at = nextDeadline(subject, at)) {
      subject = settle(step(subject, { kind: 'deadline', subjectId, at }, surrounding))
      yield
    }
    return subject
  }
  let subject = resourceAt(observations[0]?.at ?? until, answers, template, surrounding)
  if (observations.length > 0) subject = unjudged(subject)
  else for (const pending of subject.pending) kept.note(pending)
  for (const one of observations) {
    subject = yield* passDeadlines(subject, one.at)
    reports.now = one.at
    subject = settle(observe(subject, one, surrounding))
    yield
  }
  subject = yield* passDeadlines(subject, until)
  return { ...ruleAt(subject, key, until, surrounding), incidents: kept.incidents(), incidentsOmitted: kept.omitted }
}

function resourceAt(
  at: number,
  answers: Preview['answers'],
  { key, version }: Template,
  surrounding: Surrounding,
): SubjectDocument {
  const id = { id: 'preview', workspaceId: 'preview', slug: 'preview', name: 'preview' }
  const command = { kind: 'create-resource' as const, ...id, template: `${key}@${version}`, answers, labels: {} }
  const made = createResource(subjectId, command, at, surrounding)
  if ('refused' in made) throw errorOf(made.refused.error)
  return made.subject
}

/** The Resource comes with its first Observation: nothing opens in the instant before it. */
const unjudged = (subject: SubjectDocument): SubjectDocument => ({
  ...subject,
  rules: subject.rules.map(rule => ({ ...rule, verdict: null, incident: null })),
  incidents: 0,
  dueAt: null,
  pending: [],
  hasPending: 0,
})

/** Throws the Observation's refusal, its field named by its place in the request. */
function observe(subject: SubjectDocument, { sent, at, place }: Placed, surrounding: Surrounding): Step {
  const command = { kind: 'observe' as const, id: `o${place}`, observations: [sent] }
  const taken = step(subject, { kind: 'command', subjectId, at, command }, surrounding)
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

function ruleAt(subject: SubjectDocument, key: string, at: number, surrounding: Surrounding) {
  const shown = readResource(subject, at, surrounding)
  const [rule] = subject.rules
  if ('refused' in shown || rule === undefined) throw new AppError('internal', 'Internal error')
  const view = (shown.result as ResourceView).rules[0]
  const { evidence } = judge(subject, rule, at, surrounding)
  return { key, status: view?.status ?? null, explanation: view?.explanation ?? null, evidence: previewEvidence(evidence) }
}
