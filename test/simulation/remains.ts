// What is left of a subject in the store when a simulated life is over.
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'

/** All that is stored of one subject. */
export interface Remains {
  subject: SubjectDocument
  incidents: IncidentDocument[]
  history: HistoryDocument[]
  alerts: AlertDocument[]
  holds: { confirmAfterMs: number; closeAfterMs: number }
}
