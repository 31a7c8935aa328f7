// Reads of incidents. The keeper alone writes them.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import type { DirectoryContext } from '../context.ts'
import { readPage } from '../documents/page.ts'

/** Open incidents of a workspace, newest trouble first. None of a subject that is archived or deleted, whose incidents are about to close. */
export async function listOpenIncidents(
  context: DirectoryContext,
  request: AskRequest<'list-open-incidents'>,
): Promise<Page<IncidentView>> {
  const subject = request.subjectId ? { subjectId: request.subjectId } : {}
  return readPage(context.store, {
    collection: 'incidents',
    where: { workspaceId: request.workspaceId, open: 1, ...subject },
    sort: ['troubleSince', 'desc'],
    after: request.after,
    view: incidents => incidentViews(context, incidents, ({ archivedAt }) => archivedAt === null),
  })
}

/** Open or closed; null where there is none, or its subject is deleted. */
export async function getIncident(
  context: DirectoryContext,
  { incidentId }: AskRequest<'get-incident'>,
): Promise<IncidentView | null> {
  const [incident = null] = await context.store.get('incidents', [incidentId])
  if (incident === null) return null
  const [view = null] = await incidentViews(context, [incident])
  return view
}

/** In the order of the documents; null where the subject is gone, or not to be shown. */
async function incidentViews(
  { store, incidentSalt }: DirectoryContext,
  incidents: readonly IncidentDocument[],
  isShown: (subject: SubjectDocument) => boolean = () => true,
): Promise<(IncidentView | null)[]> {
  const { encode } = createIncidentIds(incidentSalt)
  const ids = [...new Set(incidents.map(incident => incident.subjectId))]
  const subjects = new Map<string, SubjectDocument>()
  for (const subject of await store.get('subjects', ids)) {
    if (subject !== null && subject.deletedAt === null && isShown(subject)) subjects.set(subject.id, subject)
  }
  return incidents.map(incident => {
    const subject = subjects.get(incident.subjectId)
    return subject ? incidentView(incident, encode(incident.id), subject, ruleNames(incident, subject)) : null
  })
}

type Names = Pick<RuleState, 'slug' | 'name'>

/** A slug never changes. A name is the rule's present one; of a removed rule the slug stands for it. */
function ruleNames({ ruleKey, rule: { key: slug } }: IncidentDocument, { rules }: SubjectDocument): Names {
  const present = rules.find(candidate => candidate.key === ruleKey)
  return { slug, name: present?.name ?? slug }
}

function incidentView(incident: IncidentDocument, publicId: string, subject: SubjectDocument, rule: Names): IncidentView {
  const inputs = (value: EvidenceInput['value']) =>
    incident.evidence.inputs.filter(input => input.value === value).map(input => input.input)
  const { id, subjectId, workspaceId, number, ruleKey, status, troubleSince, confirmedAt, wellSince, closedAt } = incident
  return {
    id,
    publicId,
    subjectId,
    subjectName: subject.name,
    subjectKind: subject.kind,
    workspaceId,
    number,
    ruleKey,
    ruleSlug: rule.slug,
    ruleName: rule.name,
    status,
    open: incident.open === 1,
    troubleSince,
    confirmedAt,
    wellSince,
    closedAt,
    acknowledgedAt: incident.acknowledgedAt,
    acknowledgedBy: incident.acknowledgedBy,
    failing: inputs('problem'),
    unknown: inputs('unknown'),
    ok: inputs('ok'),
  }
}
