// Reads of incidents. The keeper alone writes them.
import type { AskRequest, OpenIncidentView, Page } from '#shared/contracts/ask.ts'
import type { IncidentDocument } from '#shared/contracts/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { EvidenceInput } from '#shared/contracts/verdict.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from './context.ts'
import { readPage } from './page.ts'

/** Open incidents of a workspace, newest trouble first. What hangs on a deleted subject is not shown while it is being removed. */
export async function listOpenIncidents(
  { store }: DirectoryContext,
  request: AskRequest<'list-open-incidents'>,
): Promise<Page<OpenIncidentView>> {
  const subject = request.subjectId ? { subjectId: request.subjectId } : {}
  return readPage(store, {
    collection: 'incidents',
    where: { workspaceId: request.workspaceId, open: 1, ...subject },
    sort: ['troubleSince', 'desc'],
    after: request.after,
    view: async incidents => {
      const subjects = await livingSubjects(store, incidents)
      return incidents.map(incident => incidentView(incident, subjects.get(incident.subjectId)))
    },
  })
}

type Named = Pick<SubjectDocument, 'id' | 'name' | 'kind'>

async function livingSubjects(store: Store, incidents: IncidentDocument[]): Promise<Map<string, Named>> {
  const ids = [...new Set(incidents.map(incident => incident.subjectId))]
  if (ids.length === 0) return new Map()
  const where = { id: { in: ids }, deletedAt: null }
  const found = await store.find('subjects', { where, limit: ids.length, select: ['name', 'kind'] })
  return new Map(found.map(subject => [subject.id, subject]))
}

function incidentView(incident: IncidentDocument, subject: Named | undefined): OpenIncidentView | null {
  if (!subject) return null
  const inputs = (value: EvidenceInput['value']) =>
    incident.evidence.inputs.filter(input => input.value === value).map(input => input.input)
  return {
    id: incident.id,
    subjectId: incident.subjectId,
    subjectName: subject.name,
    subjectKind: subject.kind,
    number: incident.number,
    status: incident.status,
    troubleSince: incident.troubleSince,
    confirmedAt: incident.confirmedAt,
    wellSince: incident.wellSince,
    failing: inputs('problem'),
    unknown: inputs('unknown'),
    ok: inputs('ok'),
  }
}
