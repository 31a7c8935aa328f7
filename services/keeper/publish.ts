// After the commit: documents of the outbox are written, stamped, and only then replies and nudges leave. A successor may repeat everything
// here: see the rows of the outbox.
import { subjects } from '#shared/bus/subjects.ts'
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import { type Core, persistWhile } from './core.ts'
import { documentsOf, outbox, outboxSteps, type Written, type WrittenCollection } from './outbox.ts'
import type { Partition } from './partition.ts'

/** Writes the outbox documents of these committed subjects; resolves once all are written. Repeating it changes nothing. */
export async function publishPending(core: Core, committed: readonly SubjectDocument[], mayGoOn: () => boolean): Promise<void> {
  const written = documentsOf(committed, core.clock.now())
  for (const step of outboxSteps) await Promise.all(step.map(collection => write(core, collection, written, mayGoOn)))
  announce(core, committed, written)
}

async function write<C extends WrittenCollection>(
  core: Core,
  collection: C,
  written: Written,
  mayGoOn: () => boolean,
): Promise<void> {
  const documents: Collections[C][] = written[collection]
  if (documents.length === 0) return
  const { mode } = outbox.written[collection]
  await persistWhile(core, mayGoOn, `write ${collection}`, () => core.store[mode](collection, documents))
}

/** Nudges are hints: a service that misses one finds the document by its own scan. */
function announce(core: Core, committed: readonly SubjectDocument[], { alerts, history, incidents }: Written): void {
  if (alerts.length > 0) core.bus.publish(subjects.alertNudge, { alertIds: alerts.map(alert => alert.id) })
  if (history.length === 0) return
  const workspaces = new Map(committed.map(subject => [subject.id, subject.workspaceId]))
  const byId = new Map(incidents.map(document => [document.id, document]))
  for (const entry of history) {
    const incident = byId.get(entry.incidentId) ?? null
    core.bus.publish(subjects.state(workspaces.get(entry.subjectId) ?? '', entry.subjectId), { transition: entry, incident })
  }
}

/** Takes entries whose work is done out of a subject's outbox; its document follows in one of the next rounds. */
export function clearDone(core: Core, partition: Partition, subjectId: string, isDone: (entry: Pending) => boolean): void {
  const entry = core.cache.get(subjectId)
  if (entry?.subject) {
    const subject = { ...entry.subject, pending: entry.subject.pending.filter(pending => !isDone(pending)) }
    core.cache.set(subjectId, { ...entry, subject })
  }
  partition.uncleared.set(subjectId, core.clock.now())
}
