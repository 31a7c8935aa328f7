// Publication after the commit: writes the outbox documents, and only then sends hints to services and news to pages. A successor may
// repeat the whole publication.

import { nextStep } from '#machines/incident-outlook.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import { rosterRow } from '#shared/subjects/roster-row.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import type { Partition } from '../partition/partition.ts'
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

/** Sends hints to services. A service that misses a hint finds the document by its own scan. */
function announce(context: KeeperContext, committed: readonly SubjectDocument[], written: Written): void {
  const { alerts } = written
  if (alerts.length > 0) context.bus.publish(subjects.alertNudge, { alertIds: alerts.map(alert => alert.id) })
  publishNews(context, committed, written)
}

/** Removes finished entries from a subject's outbox in memory. One of the next rounds writes the subject's document. */
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

/** Publishes the news for pages. Call it while the cache still has the previously committed version of each subject. */
export function publishNews(
  context: KeeperContext,
  committed: readonly SubjectDocument[],
  { history, incidents, windows }: Pick<Written, 'history' | 'incidents' | 'windows'>,
): void {
  const workspaces = new Map(committed.map(subject => [subject.id, subject.workspaceId]))
  const publish = (subjectId: string, news: News) =>
    context.bus.publish(subjects.state(workspaces.get(subjectId) ?? '', subjectId), news)
  const byId = new Map(incidents.map(document => [document.id, document]))
  for (const transition of history) {
    const incident = byId.get(transition.incidentId) ?? null
    publish(transition.subjectId, { kind: 'transition', transition, incident })
  }
  for (const window of windows) publish(window.subjectId, { kind: 'window', window })
  for (const subject of committed) {
    const news = rowNews(context, subject)
    if (news !== null) publish(subject.id, news)
  }
  for (const { workspaceId, template } of bindingChanges(context, committed)) {
    const news: News = { kind: 'template', template }
    context.bus.publish(subjects.stateOfTemplates(workspaceId), news)
  }
}

interface Binding {
  workspaceId: string
  template: string
}

/** Returns the Template revisions that Resources were bound to or unbound from, each revision once. */
function bindingChanges(context: KeeperContext, committed: readonly SubjectDocument[]): Iterable<Binding> {
  const found = new Map<string, Binding>()
  for (const subject of committed) {
    const { workspaceId } = subject
    const before = boundTo(context.cache.get(subject.id)?.subject ?? null)
    const after = boundTo(subject)
    if (before === after) continue
    for (const template of [before, after])
      if (template !== null) found.set(`${workspaceId} ${template}`, { workspaceId, template })
  }
  return found.values()
}

/** Returns the Template revision that counts the subject among its Resources; null: none. */
const boundTo = (subject: SubjectDocument | null): string | null =>
  subject === null || subject.archivedAt !== null || subject.deletedAt !== null ? null : subject.template

/**
 * Returns news of the subject's row in lists. Null: the row is unchanged, or the subject is too damaged for a row. If the earlier subject
 * is not in memory, the row counts as changed.
 */
function rowNews(context: KeeperContext, subject: SubjectDocument): News | null {
  const before = context.cache.get(subject.id)?.subject ?? null
  try {
    const row = rosterRow(subject, nextStep)
    const known = before && rosterRow(before, nextStep)
    if (row === null) return before !== null && known === null ? null : { kind: 'gone', id: subject.id, rev: subject.rev }
    return known !== null && isShownAlike(known, row) ? null : { kind: 'row', row }
  } catch (error) {
    context.logger.error({ err: error, subjectId: subject.id }, 'news was not made')
    return null
  }
}

const isShownAlike = (one: RosterRow, other: RosterRow): boolean => textOf(one) === textOf(other)
const textOf = (row: RosterRow): string => JSON.stringify({ ...row, rev: 0 })
