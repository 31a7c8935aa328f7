// What a step has changed of a subject.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Change } from './types.ts'

/**
 * Of a judgement alone: commit where it moved a rule or a maintenance window, else the subject is only fresher than its document. Pure.
 */
export function changeBetween(before: SubjectDocument, after: SubjectDocument): Change {
  const rulesMoved = after.rules !== before.rules && after.rules.some((rule, i) => rule !== before.rules[i])
  if (rulesMoved || after.maintenance !== before.maintenance || isDueEarlier(before, after)) return 'commit'
  if (before.faulty !== null && after.faulty === null) return 'commit'
  return after === before ? 'nothing' : 'freshness'
}

/** A counted window ends earlier than anything that was due: whoever takes the subject over has to learn of it. */
const isDueEarlier = (before: SubjectDocument, after: SubjectDocument): boolean =>
  after.kind === 'template' && after.dueAt !== null && (before.dueAt === null || after.dueAt < before.dueAt)
