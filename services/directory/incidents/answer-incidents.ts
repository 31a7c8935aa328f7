// Which function answers which question about Incidents (shared/contracts/ask/ask-incidents.ts).
import { outlineIncident, readTransitions } from './incident-history.ts'
import { listIncidents, readIncident } from './incident-list.ts'

export const incidentAnswerers = {
  'list-incidents': listIncidents,
  'read-incident': readIncident,
  'outline-incident': outlineIncident,
  'read-transitions': readTransitions,
}
