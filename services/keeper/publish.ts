// After the commit: what the committed subjects still have to write elsewhere is written, stamped, and only then replies and
// nudges leave. Everything here may be repeated by a successor: see the rows of the outbox.
import { subjects } from '#shared/bus/subjects.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import { type Core, persistWhile } from './core.ts'
import { outboxRows, outboxSteps, type WrittenCollection } from './outbox.ts'

/** Writes the pending documents of these committed subjects; resolves once all are written. Repeating it changes nothing. */
export async function publishPending(core: Core, committed: readonly SubjectDocument[], mayGoOn: () => boolean): Promise<void> {
  const now = core.clock.now()
  for (const step of outboxSteps) await Promise.all(step.map(collection => write(core, collection, committed, now, mayGoOn)))
  announce(core, committed, now)
}

async function write<C extends WrittenCollection>(
  core: Core,
  collection: C,
  committed: readonly SubjectDocument[],
  now: number,
  mayGoOn: () => boolean,
): Promise<void> {
  const documents = documentsOf(collection, committed, now)
  if (documents.length === 0) return
  const { mode } = outboxRows[collection]
  await persistWhile(core, mayGoOn, `write ${collection}`, () => core.store[mode](collection, documents))
}

const documentsOf = <C extends WrittenCollection>(
  collection: C,
  committed: readonly SubjectDocument[],
  now: number,
): Collections[C][] => committed.flatMap(subject => outboxRows[collection].of(subject, now))

/** Nudges are hints: who misses one finds the document by its own scan. */
function announce(core: Core, committed: readonly SubjectDocument[], now: number): void {
  const alerts = documentsOf('alerts', committed, now)
  if (alerts.length > 0) core.bus.publish(subjects.alertNudge, { alertIds: alerts.map(alert => alert.id) })
  const history = documentsOf('history', committed, now)
  if (history.length === 0) return
  const workspaces = new Map(committed.map(subject => [subject.id, subject.workspaceId]))
  const byId = new Map(documentsOf('incidents', committed, now).map(document => [document.id, document]))
  for (const entry of history) {
    const incident = byId.get(entry.incidentId) ?? null
    core.bus.publish(subjects.state(workspaces.get(entry.subjectId) ?? '', entry.subjectId), { transition: entry, incident })
  }
}
