// An incident's document as an Incident of generation 3: the keeper and the directory answer the same. Pure. Rules: docs/reference/v3.md, 5.1 and 5.5.
import type { IncidentDocument } from '#shared/contracts/incident.ts'
import type { IncidentRecord } from '#shared/contracts/incident-views.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'

/** A Template's rule of this key reads no locations: each of its inputs has its own reading. */
const builtInKey = 'availability'

export function incidentRecord(
  incident: IncidentDocument,
  { id, slug, name }: Pick<SubjectDocument, 'id' | 'slug' | 'name'>,
): IncidentRecord {
  const { ruleShown, action, condition, explanation, confirmedAt, closedAt, closedReason, effectiveAt } = incident
  const { acknowledgedAt: at, acknowledgedBy: by, acknowledgedVia: via } = incident
  return {
    id: incident.id,
    resource: { id, key: slug, name },
    rule: ruleShown,
    isOfLocations: incident.ruleKey === builtInKey,
    action,
    isOpen: incident.open === 1,
    condition,
    explanation,
    openedAt: incident.troubleSince,
    confirmedAt,
    closedAt,
    closedReason,
    effectiveAt,
    acknowledgement: at === null || by === null ? null : { by, at, via: via ?? 'api' },
  }
}
