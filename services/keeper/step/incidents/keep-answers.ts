// What servers answered to failed checks: kept with the open incidents of the subject, of each location the first and the newest one, or held
// until an incident opens. Pure. Reference: docs/reference/v3.md, 5.10.
import type { AnswerOfCheck, HeldAnswers, ResponseDocument } from '#shared/contracts/incidents/response.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { addToOutbox } from '../change.ts'
import type { Input, Step } from '../types.ts'

const none: HeldAnswers = { waiting: {}, kept: {} }

/** Returns the step with the answer that its input carries, and with those that wait for an incident, as far as one is open. */
export function keepAnswers(stepped: Step, input: Input): Step {
  const { subject } = stepped
  if (subject === null || subject.deletedAt !== null) return stepped
  const { answers: before = none } = subject
  const came = answerIn(stepped, input)
  if (came === null && before === none) return stepped
  const waiting = { ...stillWaiting(before.waiting, input.at), ...(came && { [came.locationId]: came.answer }) }
  const open = subject.rules.flatMap(({ incident }) => (incident === null ? [] : [incident.context.incidentId]))
  const change = came === null ? stepped.change : 'commit'
  if (open.length === 0) return { ...stepped, subject: withAnswers(subject, { waiting, kept: {} }), change }
  const kept = Object.fromEntries(open.map(id => [id, before.kept[id] ?? []]))
  const documents = open.flatMap(id => documentsOf(subject, id, kept[id] ?? [], waiting))
  const next = Object.fromEntries(open.map(id => [id, withLocations(kept[id] ?? [], Object.keys(waiting))]))
  const written = documents.reduce(
    (all, document) => addToOutbox(all, { mode: 'advance', collection: 'responses', document }),
    withAnswers(subject, { waiting: {}, kept: next }),
  )
  return { ...stepped, subject: written, change: documents.length === 0 ? change : 'commit' }
}

/** Returns the answer of a failed check that became the reading of its location; null: there is none. */
function answerIn({ subject, observation }: Step, input: Input): { locationId: string; answer: AnswerOfCheck } | null {
  if (input.kind !== 'result' || observation === null) return null
  const { locationId, result, at } = input
  const reading = subject?.readings[locationId]
  const { response, error } = result
  if (result.ok || error === null || response === undefined || reading?.slotAt !== result.slotAt) return null
  return { locationId, answer: { ...response, at, error: reading.error ?? error } }
}

const stillWaiting = (waiting: HeldAnswers['waiting'], now: number): HeldAnswers['waiting'] =>
  Object.fromEntries(Object.entries(waiting).filter(([, { at }]) => now - at < limits.answers.waitMs))

/** At most `limits.answers.locations` of them. */
const withLocations = (kept: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...kept, ...more])].slice(0, limits.answers.locations)

function documentsOf(
  subject: SubjectDocument,
  incidentId: string,
  kept: readonly string[],
  waiting: HeldAnswers['waiting'],
): ResponseDocument[] {
  const locations = withLocations(kept, Object.keys(waiting))
  return Object.entries(waiting)
    .filter(([locationId]) => locations.includes(locationId))
    .map(([locationId, answer]) => ({
      ...{ id: `${incidentId}.${locationId}.${kept.includes(locationId) ? 'newest' : 'first'}`, rev: subject.rev + 1 },
      ...{ subjectId: subject.id, incidentId, locationId, ...answer },
    }))
}

/** A subject that holds nothing has no such member. */
function withAnswers(subject: SubjectDocument, answers: HeldAnswers): SubjectDocument {
  const { answers: before, ...rest } = subject
  const isEmpty = [answers.waiting, answers.kept].every(each => Object.keys(each).length === 0)
  if (isEmpty) return before === undefined ? subject : rest
  return { ...subject, answers }
}
