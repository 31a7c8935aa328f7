// Stored documents of a subject at the end of a simulated run.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'

export interface Remains {
  subject: SubjectDocument
  incidents: IncidentDocument[]
  history: HistoryDocument[]
  alerts: AlertDocument[]
  holds: { confirmAfterMs: number; closeAfterMs: number }
}
