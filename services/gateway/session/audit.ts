// GET /session/workspaces/{id}/audit: the audit of a workspace, for its owners. GET /session/audit: changes outside of all workspaces, for
// administrators. Rows are those of generation 3, and also say what a request made.
import { Type } from 'typebox'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { type AuditView, AuditMade as StoredMade } from '#shared/contracts/ask/ask-audit.ts'
import { Answered, OrNull, writerOf } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { QueryParameter, Route } from '../http/route.ts'
import { AuditObject, auditFilters, auditInstant } from '../v3/audit.ts'
import { inSessionWords, sessionQuery } from './caller/query.ts'
import type { SessionContext, VisitorCall } from './caller/session-call.ts'
import { admin, owner, route } from './caller/session-route.ts'

const AuditMade = Answered('AuditMade', {
  kind: StoredMade.properties.kind,
  id: Type.String({ examples: ['RESOURCE_ID'] }),
  name: Type.String({ description: 'May be empty.', examples: ['Nightly backup'] }),
})

const SessionAuditRow = Answered('SessionAuditRow', {
  ...AuditObject.properties,
  made: OrNull(AuditMade),
})
const writeRow = writerOf(SessionAuditRow)
const rowObject = (row: AuditView) => writeRow({ ...row, workspace: row.workspaceId })

const pageQuery: Record<string, QueryParameter> = {
  limit: { schema: Type.Integer({ minimum: 1, maximum: 200 }), meaning: 'Rows of the page; absent: 50.' },
  after: { schema: Type.String({ pattern: '^[0-9A-Za-z]{1,64}$' }), meaning: 'The `next` of the page before.' },
}
const filteredQuery = { ...auditFilters, ...pageQuery }

const AuditPage = Answered('AuditPage', { rows: Type.Array(SessionAuditRow), next: OrNull(Type.String({ examples: ['0abc'] })) })

interface Filters {
  person?: string
  path?: string
  limit?: number
  after?: string
}

async function readPage({ directory }: SessionContext, call: VisitorCall, wanted: AskRequest<'list-audit'>) {
  const { items, next } = await directory.ask('list-audit', wanted, call.traceId)
  return { rows: items.map(rowObject), next }
}

const showOfWorkspace = route('GET', '/workspaces/:workspaceId/audit', {
  summary: 'Who changed what in the workspace or read its evidence, newest first.',
  more: 'A page with filters may be short, or empty, and have a next one.',
  needs: owner,
  query: filteredQuery,
  result: AuditPage,
  refusals: ['invalid'],
  handler: async (context, call) => {
    const query = sessionQuery(filteredQuery, call)
    const { person: personId = null, path = null, limit = 50, after = null } = query as Filters
    const [since, until] = inSessionWords(() => [auditInstant(query, 'since'), auditInstant(query, 'until')] as const)
    const workspaceId = pathPart(call, 'workspaceId')
    return readPage(context, call, { workspaceId, personId, path, since, until, limit, after })
  },
})

const showOfInstallation = route('GET', '/audit', {
  summary: 'Who changed what outside of workspaces, newest first; a workspace has its own audit.',
  needs: admin,
  query: pageQuery,
  result: AuditPage,
  refusals: ['invalid'],
  handler: async (context, call) => {
    const { limit = 50, after = null } = sessionQuery(pageQuery, call) as Filters
    const everything = { workspaceId: null, personId: null, path: null, since: null, until: null }
    return readPage(context, call, { ...everything, limit, after })
  },
})

export const auditRoutes: readonly Route[] = [showOfWorkspace, showOfInstallation]
