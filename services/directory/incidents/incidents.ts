// Reads of incidents for generations 1 and 2, and of the installation's conditions. Keepers write incidents, notifiers write conditions.
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import { classicKind } from '#shared/subjects/classic-kind.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { readPage } from '../documents/page.ts'
import { pick } from '../documents/pick.ts'

/**
 * Returns a page of open incidents, newest trouble first. Omits incidents of archived and deleted subjects, because these incidents will
 * close soon.
 */
export const listOpenIncidents: AskAnswerer<'list-open-incidents'> = async (context, request) => {
  const subject = request.subjectId ? { subjectId: request.subjectId } : {}
  return readPage(context.store, {
    collection: 'incidents',
    where: { workspaceId: request.workspaceId, open: 1, ...subject },
    sort: ['troubleSince', 'desc'],
    after: request.after,
    view: incidents => incidentViews(context, incidents, ({ archivedAt }) => archivedAt === null),
  })
}

/** Returns an incident, open or closed. Null: no incident has this id, or the incident's subject is deleted. */
export const getIncident: AskAnswerer<'get-incident'> = async (context, { incidentId }) => {
  const [incident = null] = await context.store.get('incidents', [incidentId])
  if (incident === null) return null
  const [view = null] = await incidentViews(context, [incident])
  return view
}

/** Returns one view for each document, in the same order. A view is null if the incident's subject is deleted or not shown. */
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

/** Returns the rule's slug, which never changes, and the rule's current name. The name of a removed rule is its slug. */
function ruleNames({ ruleKey, rule: { key: slug } }: IncidentDocument, { rules }: SubjectDocument): Names {
  const present = rules.find(candidate => candidate.key === ruleKey)
  return { slug, name: present?.name ?? slug }
}

function incidentView(incident: IncidentDocument, publicId: string, subject: SubjectDocument, rule: Names): IncidentView {
  const inputs = (value: EvidenceInput['value']) =>
    incident.evidence.inputs.filter(input => input.value === value).map(input => input.input)
  return {
    ...pick(incident, ['id', 'subjectId', 'workspaceId', 'number', 'ruleKey', 'status', 'acknowledgedAt', 'acknowledgedBy']),
    ...pick(incident, ['troubleSince', 'confirmedAt', 'wellSince', 'closedAt']),
    publicId,
    subjectName: subject.name,
    subjectKind: classicKind(subject.kind, subject),
    ruleSlug: rule.slug,
    ruleName: rule.name,
    open: incident.open === 1,
    failing: inputs('problem'),
    unknown: inputs('unknown'),
    ok: inputs('ok'),
  }
}

/** Returns the oldest current conditions of the installation, oldest first. Only notifiers write them. */
export const listConditions: AskAnswerer<'list-conditions'> = async ({ store }) => {
  const query = { where: { raised: 1 }, limit: limits.operator.listed }
  const found: ConditionDocument[] = []
  // The store cannot sort by `since`, so all conditions are read before the oldest are chosen.
  for await (const page of pagesOf(query, paged => store.find('conditions', paged))) found.push(...page)
  return found
    .map(({ kind, name, since, summary }) => ({ kind, name, since, summary }))
    .sort((one, other) => one.since - other.since)
    .slice(0, limits.operator.listed)
}
