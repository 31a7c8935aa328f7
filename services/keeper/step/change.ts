// Changes of a subject in a step: the difference that a judgement makes, and additions to the subject's outbox. Pure.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Change, Step } from './types.ts'

export const unchanged = (subject: SubjectDocument | null, reply: Reply | null = null): Step => ({
  subject,
  change: 'nothing',
  observation: null,
  reply,
})

/** Returns the change that a judgement alone makes. `commit`: for example, a rule has changed. `freshness`: only readings are newer. */
export function changeBetween(before: SubjectDocument, after: SubjectDocument): Change {
  const rulesMoved = after.rules !== before.rules && after.rules.some((rule, i) => rule !== before.rules[i])
  if (rulesMoved || after.maintenance !== before.maintenance || isDueEarlier(before, after)) return 'commit'
  if (before.faulty !== null && after.faulty === null) return 'commit'
  return after === before ? 'nothing' : 'freshness'
}

/**
 * Returns whether the deadline is now earlier than the stored deadline, for example because a counting window ends. A successor must find
 * the earlier deadline in the store.
 */
const isDueEarlier = (before: SubjectDocument, after: SubjectDocument): boolean =>
  after.kind === 'template' && after.dueAt !== null && (before.dueAt === null || after.dueAt < before.dueAt)

/** Returns the subject with the entry in its outbox. The entry replaces an earlier entry of the same commit for the same document. */
export function addToOutbox(subject: SubjectDocument, entry: OutboxEntry): SubjectDocument {
  const kept = subject.outbox.filter(other => !isReplacedBy(other, entry))
  return { ...subject, outbox: [...kept, entry], hasOutbox: 1 }
}

/** All check entries of one commit have the same revision, so only the last entry of each location may be written. */
function isReplacedBy(other: OutboxEntry, entry: OutboxEntry): boolean {
  if (other.mode === 'check') return entry.mode === 'check' && other.locationId === entry.locationId
  if (other.mode !== 'advance' || entry.mode !== 'advance') return false
  return other.collection === entry.collection && other.document.id === entry.document.id
}
