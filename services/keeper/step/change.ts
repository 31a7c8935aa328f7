// Difference between a subject before and after a judgement.
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Change } from './types.ts'

/**
 * Returns the change by a judgement alone: commit if a rule or a maintenance window changed; else the subject is only fresher than its
 * document. Pure.
 */
export function changeBetween(before: SubjectDocument, after: SubjectDocument): Change {
  const rulesMoved = after.rules !== before.rules && after.rules.some((rule, i) => rule !== before.rules[i])
  if (rulesMoved || after.maintenance !== before.maintenance || isDueEarlier(before, after)) return 'commit'
  if (before.faulty !== null && after.faulty === null) return 'commit'
  return after === before ? 'nothing' : 'freshness'
}

/** A counted window ends earlier than any stored deadline. A successor must find that deadline in the store. */
const isDueEarlier = (before: SubjectDocument, after: SubjectDocument): boolean =>
  after.kind === 'template' && after.dueAt !== null && (before.dueAt === null || after.dueAt < before.dueAt)
