// What a committed subject still has to write elsewhere. Later states of one document replace earlier ones of the same commit.
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'

export function addPending(subject: SubjectDocument, entry: Pending): SubjectDocument {
  const kept = entry.mode === 'advance' ? subject.pending.filter(other => !isSameDocument(other, entry)) : subject.pending
  return { ...subject, pending: [...kept, entry], hasPending: 1 }
}

const isSameDocument = (other: Pending, entry: Pending & { mode: 'advance' }) =>
  other.mode === 'advance' && other.collection === entry.collection && other.document.id === entry.document.id
