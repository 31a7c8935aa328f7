// Conversion of an incident's document to an Incident of generation 3. Keeper and directory both use it, so that they return the same.
// Pure. Reference: docs/reference/v3.md, 5.1 and 5.5.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { storedCause } from '#shared/judging/incident-cause.ts'

/**
 * Key of the built-in rule of website monitors. A Template may have a rule with this key too, but its inputs are comparisons, not
 * locations.
 */
const builtInKey = 'availability'

/** Returns true if the inputs of an incident of this rule are the locations of a website monitor. */
export const isOfLocations = (ruleKey: string): boolean => ruleKey === builtInKey

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
    isOfLocations: isOfLocations(incident.ruleKey),
    action,
    isOpen: incident.open === 1,
    condition,
    cause: storedCause(incident, isOfLocations(incident.ruleKey)),
    explanation,
    openedAt: incident.troubleSince,
    confirmedAt,
    closedAt,
    closedReason,
    effectiveAt,
    acknowledgement: at === null || by === null ? null : { by, at, via: via ?? 'api' },
  }
}
