// Closed incidents leave with their history, and ended maintenance windows, when their time is over. What is open stays.
import { limits } from '#shared/limits.ts'
import type { Query } from '#shared/store/port.ts'
import type { PatientStore } from './patient-store.ts'

/** History first, the incident last: a crash between them leaves what the next pass finds again. */
export async function expireIncidents(store: PatientStore, subjectId: string, now: number): Promise<void> {
  const oldest = now - limits.retention.incidentsMs
  let after: Query['after']
  for (;;) {
    const page = await store.find('incidents', {
      where: { subjectId, troubleSince: { lt: oldest } },
      sort: [['troubleSince', 'asc']],
      limit: limits.rollUp.incidentsPerRead,
      ...(after === undefined ? {} : { after }),
    })
    const old = page.filter(incident => incident.open === 0 && (incident.closedAt ?? now) < oldest).map(incident => incident.id)
    for (const incidentId of old) await removeHistory(store, incidentId)
    if (old.length > 0) await store.delete('incidents', old)
    const last = page[page.length - 1]
    if (last === undefined || page.length < limits.rollUp.incidentsPerRead) break
    after = { values: [last.troubleSince], id: last.id }
  }
  await expireWindows(store, subjectId, oldest)
}

async function removeHistory(store: PatientStore, incidentId: string): Promise<void> {
  const query: Query = { where: { incidentId }, select: ['incidentId'], limit: limits.keeper.deletionSlice }
  for (;;) {
    const entries = await store.find('history', query)
    if (entries.length > 0) await store.delete('history', idsOf(entries))
    if (entries.length < query.limit) return
  }
}

/** A window lasts 366 days at most, so one that began that much earlier has ended. */
async function expireWindows(store: PatientStore, subjectId: string, oldest: number): Promise<void> {
  const startedAt = { lt: oldest - limits.maintenance.windowMs }
  const query: Query = { where: { subjectId, startedAt }, select: ['subjectId'], limit: limits.keeper.deletionSlice }
  const old = await store.find('windows', query)
  if (old.length > 0) await store.delete('windows', idsOf(old))
}

const idsOf = (documents: readonly { id: string }[]): string[] => documents.map(({ id }) => id)
