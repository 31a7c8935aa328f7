// Open Incident of a website monitor in the store of an API world, with its first record, as a keeper writes them.
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { history, incident } from '../../store/documents.ts'
import { type ApiWorld, incidentSalt } from './api-world.ts'

/** Returns the Incident's public id. */
export async function addIncident(
  world: Pick<ApiWorld, 'store' | 'addSubject'>,
  workspaceId: string,
  subjectId = 'subject123',
): Promise<string> {
  const id = `${subjectId}.1`
  await world.addSubject({ id: subjectId, workspaceId })
  await world.store.upsert('incidents', [incident(id, { subjectId, workspaceId })])
  await world.store.upsert('history', [
    history(`${id}.1`, { incidentId: id, subjectId, event: { type: 'problem.judged', at: 1 } }),
  ])
  return createIncidentIds(incidentSalt).encode(id)
}
