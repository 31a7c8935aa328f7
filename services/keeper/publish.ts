// After the commit: what the committed subjects still have to write elsewhere is written, stamped, and only then replies and
// nudges leave. Everything here may be repeated by a successor: inserts by identity, the rest only over a smaller stamp.
import { subjects } from '#shared/bus/subjects.ts'
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import type { WindowDocument } from '#shared/contracts/maintenance.ts'
import type { PolicyDocument } from '#shared/contracts/policy.ts'
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { SubjectTagDocument } from '#shared/contracts/subject-tag.ts'
import { type Core, persistWhile } from './core.ts'
import { tagDocumentsOf } from './tags.ts'

interface Outbox {
  history: HistoryDocument[]
  alerts: AlertDocument[]
  policies: PolicyDocument[]
  incidents: IncidentDocument[]
  windows: WindowDocument[]
  subjectTags: SubjectTagDocument[]
}

/** Writes the pending documents of these committed subjects; resolves once all are written. Repeating it changes nothing. */
export async function publishPending(core: Core, committed: readonly SubjectDocument[], mayGoOn: () => boolean): Promise<void> {
  const outbox = collect(committed, core.clock.now())
  const writes: Promise<unknown>[] = []
  const write = (doing: string, count: number, attempt: () => Promise<unknown>) =>
    count > 0 && writes.push(persistWhile(core, mayGoOn, doing, attempt))
  for (const collection of ['history', 'policies'] as const)
    write(`write ${collection}`, outbox[collection].length, () => core.store.insert(collection, outbox[collection]))
  for (const collection of ['incidents', 'windows', 'subjectTags'] as const)
    write(`write ${collection}`, outbox[collection].length, () => core.store.advance(collection, outbox[collection]))
  await Promise.all(writes)
  // Last: a notifier that finds an alert reads its incident, which must not be older than the alert.
  write('write alerts', outbox.alerts.length, () => core.store.insert('alerts', outbox.alerts))
  await Promise.all(writes)
  announce(core, committed, outbox)
}

function collect(committed: readonly SubjectDocument[], now: number): Outbox {
  const outbox: Outbox = { history: [], alerts: [], policies: [], incidents: [], windows: [], subjectTags: [] }
  for (const subject of committed) {
    outbox.subjectTags.push(...tagDocumentsOf(subject, now))
    for (const entry of subject.pending) {
      if (entry.mode === 'advance' || entry.mode === 'insert') collectDocument(entry, outbox)
    }
  }
  return outbox
}

/** Passes over any other collection: an earlier version left series here, too, of reports that it had not answered. */
function collectDocument({ collection, document }: Extract<Pending, { collection: unknown }>, outbox: Outbox): void {
  if (collection === 'history') outbox.history.push(document)
  else if (collection === 'alerts') outbox.alerts.push(document)
  else if (collection === 'policies') outbox.policies.push(document)
  else if (collection === 'incidents') outbox.incidents.push(document)
  else if (collection === 'windows') outbox.windows.push(document)
}

/** Nudges are hints: who misses one finds the document by its own scan. */
function announce(core: Core, committed: readonly SubjectDocument[], { alerts, history, incidents }: Outbox): void {
  if (alerts.length > 0) core.bus.publish(subjects.alertNudge, { alertIds: alerts.map(alert => alert.id) })
  if (history.length === 0) return
  const workspaces = new Map(committed.map(subject => [subject.id, subject.workspaceId]))
  const byId = new Map(incidents.map(document => [document.id, document]))
  for (const entry of history) {
    const incident = byId.get(entry.incidentId) ?? null
    core.bus.publish(subjects.state(workspaces.get(entry.subjectId) ?? '', entry.subjectId), { transition: entry, incident })
  }
}
