// What servers answered to failed checks: kept with the open incidents of the subject, of each location the first and the newest one, or held
// until an incident opens. Pure. Reference: docs/reference/v3.md, 5.10.

import { reachability } from '#shared/checks/template-parts.ts'
import type { AnswerOfCheck, HeldAnswers, ResponseDocument } from '#shared/contracts/incidents/response.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
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
  const waiting = { ...stillWaiting(before.waiting, input.at), ...(came && { [came.source]: came.answer }) }
  const open = subject.rules.flatMap(({ incident }) => (incident === null ? [] : [incident.context.incidentId]))
  const change = came === null ? stepped.change : 'commit'
  if (open.length === 0) return { ...stepped, subject: withAnswers(subject, { waiting, kept: {} }), change }
  const kept = Object.fromEntries(open.map(id => [id, before.kept[id] ?? []]))
  const documents = open.flatMap(id => documentsOf(subject, id, kept[id] ?? [], waiting))
  const next = Object.fromEntries(open.map(id => [id, withSources(kept[id] ?? [], Object.keys(waiting))]))
  const written = documents.reduce(
    (all, document) => addToOutbox(all, { mode: 'advance', collection: 'responses', document }),
    withAnswers(subject, { waiting: {}, kept: next }),
  )
  return { ...stepped, subject: written, change: documents.length === 0 ? change : 'commit' }
}

/** Returns the answer of a failed check that became the reading of its source; null: there is none. */
function answerIn({ subject, observation }: Step, input: Input): { source: string; answer: AnswerOfCheck } | null {
  if (subject === null || input.kind !== 'result' || observation === null) return null
  const { locationId, result, at } = input
  const { response, error } = result
  const pair = checkedPairs(subject).find(one => one.locationId === locationId && one.signal === (result.signal ?? reachability))
  if (result.ok || error === null || response === undefined || pair === undefined) return null
  const { source, signal } = pair
  const reading = subject.readings[source]
  if (reading?.slotAt !== result.slotAt) return null
  return { source, answer: { ...response, signal, locationId, at, error: reading.error ?? error } }
}

const stillWaiting = (waiting: HeldAnswers['waiting'], now: number): HeldAnswers['waiting'] =>
  Object.fromEntries(Object.entries(waiting).filter(([, { at }]) => now - at < limits.answers.waitMs))

/** At most `limits.answers.locations` of them. */
const withSources = (kept: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...kept, ...more])].slice(0, limits.answers.locations)

function documentsOf(
  subject: SubjectDocument,
  incidentId: string,
  kept: readonly string[],
  waiting: HeldAnswers['waiting'],
): ResponseDocument[] {
  const sources = withSources(kept, Object.keys(waiting))
  return Object.entries(waiting)
    .filter(([source]) => sources.includes(source))
    .map(([source, answer]) => ({
      ...{ id: `${incidentId}.${source}.${kept.includes(source) ? 'newest' : 'first'}`, rev: subject.rev + 1 },
      ...{ subjectId: subject.id, incidentId, ...answer },
    }))
}

/** A subject that holds nothing has no such member. */
function withAnswers(subject: SubjectDocument, answers: HeldAnswers): SubjectDocument {
  const { answers: before, ...rest } = subject
  const isEmpty = [answers.waiting, answers.kept].every(each => Object.keys(each).length === 0)
  if (isEmpty) return before === undefined ? subject : rest
  return { ...subject, answers }
}
