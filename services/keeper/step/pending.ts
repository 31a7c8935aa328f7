// What a committed subject still has to write elsewhere. Later states of one document replace earlier ones of the same commit.
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'

export function addPending(subject: SubjectDocument, entry: Pending): SubjectDocument {
  const kept = subject.pending.filter(other => !isReplacedBy(other, entry))
  return { ...subject, pending: [...kept, entry], hasPending: 1 }
}

/** Check entries of one commit have one revision: only the last of a location may be written. */
function isReplacedBy(other: Pending, entry: Pending): boolean {
  if (other.mode === 'check') return entry.mode === 'check' && other.locationId === entry.locationId
  if (other.mode !== 'advance' || entry.mode !== 'advance') return false
  return other.collection === entry.collection && other.document.id === entry.document.id
}
