// Outbox of a subject in a step. A later state of a document replaces an earlier one of the same commit.
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'

export function addToOutbox(subject: SubjectDocument, entry: OutboxEntry): SubjectDocument {
  const kept = subject.outbox.filter(other => !isReplacedBy(other, entry))
  return { ...subject, outbox: [...kept, entry], hasOutbox: 1 }
}

/** All check entries of one commit have the same revision: only the last entry of a location may be written. */
function isReplacedBy(other: OutboxEntry, entry: OutboxEntry): boolean {
  if (other.mode === 'check') return entry.mode === 'check' && other.locationId === entry.locationId
  if (other.mode !== 'advance' || entry.mode !== 'advance') return false
  return other.collection === entry.collection && other.document.id === entry.document.id
}
