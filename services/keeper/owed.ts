// What a committed subject still owes: removals and check entries. Both go on apart from the rounds, so that neither a long removal nor a bucket
// without a leader keeps a round waiting.
import type { Pending, PendingCheck, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Core } from './core.ts'
import type { Partition } from './partition.ts'

const isCheck = (entry: Pending): entry is PendingCheck => entry.mode === 'check'

export const isOwed = (entry: Pending): boolean =>
  isCheck(entry) || entry.mode === 'remove-children' || entry.mode === 'remove-signal'
/** Everything else that is pending is written right after its commit. */
export const isWritten = (entry: Pending): boolean => !isOwed(entry)

/** Begins what a committed subject owes. */
export function startOwed(core: Core, subject: SubjectDocument): void {
  for (const entry of subject.pending) {
    if (entry.mode === 'remove-children') core.remove(subject.id, null)
    if (entry.mode === 'remove-signal') core.remove(subject.id, entry.signalKey)
  }
  const checks = subject.pending.filter(isCheck)
  if (checks.length > 0) core.writeChecks(subject.id, checks)
}

/** Notes that a subject owes some of it no more; its document follows in one of the next rounds. */
export function settleOwed(core: Core, partition: Partition, subjectId: string, isSettled: (entry: Pending) => boolean): void {
  const entry = core.cache.get(subjectId)
  if (entry?.subject) {
    const subject = { ...entry.subject, pending: entry.subject.pending.filter(pending => !isSettled(pending)) }
    core.cache.set(subjectId, { ...entry, subject })
  }
  partition.uncleared.set(subjectId, core.clock.now())
}
