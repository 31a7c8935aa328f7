// Reads of a workspace's audit, for its owners. These reads themselves are not audited. Reference: docs/reference/v3.md, 11.5.
import { Type } from 'typebox'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import { idPattern } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import { parseTimestamp } from '../body/rfc3339.ts'
import { Paged } from '../http/route.ts'
import { Named, route } from './common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from './paging.ts'
import { invalidParameter } from './read-query.ts'

export const AuditObject = Answered('AuditRow', {
  at: { ...Instant, description: 'When the response was ready.' },
  person: OrNull(Named),
  key: OrNull(Answered('AuditedKey', { id: Type.String(), prefix: Type.String() })),
  address: OrNull(Answered('AuditedAddress', { id: Type.String() })),
  workspace: OrNull(Type.String({ description: 'Its id.', examples: ['WORKSPACE_ID'] })),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({ description: 'Without its query; tokens as …', examples: ['/api/v3/workspaces/WORKSPACE_ID/templates'] }),
  status: Type.Integer({ minimum: 100, maximum: 599, examples: [201] }),
  user_agent: OrNull(Type.String({ examples: ['curl/8.5.0'] })),
})

const SentInstant = Type.String({ minLength: 1 })

/** Filters of the rows, also in the session API. */
export const auditFilters = {
  person: { schema: Type.String({ pattern: idPattern }), meaning: 'The id of a person.' },
  path: {
    schema: Type.String({ minLength: 1, maxLength: limits.audit.pathCharacters }),
    meaning:
      'What the path begins with behind the workspace, such as `/resources`; a path without a workspace is compared whole.',
  },
  since: { schema: SentInstant, meaning: 'Rows of this instant and later.' },
  until: { schema: SentInstant, meaning: 'Rows before this instant.' },
}

const listAudit = route('GET', '/workspaces/:workspace/audit', {
  summary: 'Who changed what in the workspace or read its evidence, newest first.',
  more: 'A page with filters may be short, or empty, and have a next one.',
  needs: { role: 'owner', scope: 'full' },
  isAudited: false,
  query: {
    ...auditFilters,
    ...pageQuery,
  },
  result: Type.Array(AuditObject),
  refusals: ['422 person', '422 path', '422 since', '422 until', '422 limit', '422 cursor'],
  handler: async ({ directory }, call) => {
    const { workspaceId, query, traceId } = call
    const { person: personId = null, path = null } = query as { person?: string; path?: string }
    const [since, until] = [auditInstant(query, 'since'), auditInstant(query, 'until')]
    const wanted = { workspaceId, personId, path, since, until, limit: limitOf(call), after: readCursor(call) }
    const { items, next } = await directory.ask('list-audit', wanted, traceId)
    return new Paged(items.map(auditObject), formatCursor(call, next))
  },
})

/** Returns the parameter's instant, rounded up to a whole millisecond. Null: the parameter was not sent. */
export function auditInstant(query: Readonly<Record<string, unknown>>, name: 'since' | 'until'): number | null {
  const sent = query[name]
  if (typeof sent !== 'string') return null
  const atUs = parseTimestamp(sent)
  if (atUs === null) throw invalidParameter(name, `The parameter '${name}' must be an RFC 3339 instant with a zone`)
  return Math.ceil(atUs / 1_000)
}

const write = writerOf(AuditObject)
export const auditObject = (row: AuditView) => write({ ...row, workspace: row.workspaceId })

export const auditRoutes = [listAudit]
