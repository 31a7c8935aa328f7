// What servers answered to failed checks, as keepers keep it with an Incident. Reference: docs/reference/v3.md, 5.10.
import { limits } from '#shared/limits/limits.ts'
import type { AskAnswerer } from '../context.ts'

export const listIncidentResponses: AskAnswerer<'list-incident-responses'> = async ({ store }, { incidentId }) => {
  // Of each location the first one and the newest one.
  const limit = 2 * limits.answers.locations
  const found = await store.find('responses', { where: { incidentId }, sort: [['at', 'asc']], limit })
  return found.map(({ id: _id, rev: _rev, subjectId: _subject, incidentId: _incident, ...response }) => response)
}
