// Publication after the commit: writes the outbox documents, and only then sends nudges and news. A successor may repeat the whole
// publication.
import { subjects } from '#shared/bus/subjects.ts'
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import type { Partition } from '../partition/partition.ts'
import { publishNews } from './news.ts'
import { documentsOf, outboxRows, outboxSteps, type Written, type WrittenCollection } from './outbox.ts'

/** Writes the outbox documents of these committed subjects; resolves once all are written. May be repeated. */
export async function publishOutbox(
  context: KeeperContext,
  committed: readonly SubjectDocument[],
  mayGoOn: () => boolean,
): Promise<void> {
  const written = documentsOf(committed, context.clock.now())
  for (const step of outboxSteps) await Promise.all(step.map(collection => write(context, collection, written, mayGoOn)))
  announce(context, committed, written)
}

async function write<C extends WrittenCollection>(
  context: KeeperContext,
  collection: C,
  written: Written,
  mayGoOn: () => boolean,
): Promise<void> {
  const documents: Collections[C][] = written[collection]
  if (documents.length === 0) return
  const { mode } = outboxRows.written[collection]
  await retryWhile(context, mayGoOn, `write ${collection}`, () => context.store[mode](collection, documents))
}

/** Sends nudges, which are hints: a service that misses a nudge finds the document by its own scan. */
function announce(context: KeeperContext, committed: readonly SubjectDocument[], written: Written): void {
  const { alerts } = written
  if (alerts.length > 0) context.bus.publish(subjects.alertNudge, { alertIds: alerts.map(alert => alert.id) })
  publishNews(context, committed, written)
}

/** Removes finished entries from a subject's outbox. The document is written in one of the next rounds. */
export function clearDone(
  context: KeeperContext,
  partition: Partition,
  subjectId: string,
  isDone: (entry: OutboxEntry) => boolean,
): void {
  const entry = context.cache.get(subjectId)
  if (entry?.subject) {
    const subject = { ...entry.subject, outbox: entry.subject.outbox.filter(one => !isDone(one)) }
    context.cache.set(subjectId, { ...entry, subject })
  }
  partition.outboxes.uncleared.set(subjectId, context.clock.now())
}
