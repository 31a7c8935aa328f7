// Reads of the audit of a workspace, for its owners, and of the audit of the installation, which has the rows without a workspace, for
// administrators. These reads themselves are not audited. Reference: docs/reference/v3.md, 11.5 and 16.5.
import { Type } from 'typebox'
import { type AuditView, AuditMade as StoredMade } from '#shared/contracts/ask/ask-audit.ts'
import { idPattern } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import { parseTimestamp } from '../body/rfc3339.ts'
import { type Needs, Paged } from '../http/route.ts'
import { administering, Named, route } from './common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from './paging.ts'
import { invalidParameter } from './read-query.ts'

const AuditMade = Answered('AuditMade', {
  kind: StoredMade.properties.kind,
  id: Type.String({ examples: ['RESOURCE_ID'] }),
  name: Type.String({ description: 'May be empty.', examples: ['Nightly backup'] }),
})

export const AuditObject = Answered('AuditRow', {
  at: { ...Instant, description: 'When the response was ready.' },
  person: OrNull(Named),
  key: OrNull(Answered('AuditedKey', { id: Type.String(), prefix: Type.String() })),
  address: OrNull(Answered('AuditedAddress', { id: Type.String() })),
  destination: OrNull(
    Answered('AuditedDestination', {
      id: Type.String({ description: 'Of the message whose acknowledge link was used.', examples: ['DESTINATION_ID'] }),
    }),
  ),
  workspace: OrNull(Type.String({ description: 'Its id.', examples: ['WORKSPACE_ID'] })),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({ description: 'Without its query; tokens as …', examples: ['/api/v3/workspaces/WORKSPACE_ID/templates'] }),
  status: Type.Integer({ minimum: 100, maximum: 599, examples: [201] }),
  user_agent: OrNull(Type.String({ examples: ['curl/8.5.0'] })),
  made: OrNull(AuditMade),
})

const SentInstant = Type.String({ minLength: 1 })

const filters = {
  person: { schema: Type.String({ pattern: idPattern }), meaning: 'The id of a person.' },
  path: {
    schema: Type.String({ minLength: 1, maxLength: limits.audit.pathCharacters }),
    meaning:
      'What the path begins with behind the workspace, such as `/resources`; a path without a workspace is compared whole.',
  },
  since: { schema: SentInstant, meaning: 'Rows of this instant and later.' },
  until: { schema: SentInstant, meaning: 'Rows before this instant.' },
}

const list = (url: string, needs: Needs, summary: string) =>
  route('GET', url, {
    summary,
    more: 'A page with filters may be short, or empty, and have a next one.',
    needs,
    isAudited: false,
    query: { ...filters, ...pageQuery },
    result: Type.Array(AuditObject),
    refusals: ['422 person', '422 path', '422 since', '422 until', '422 limit', '422 cursor'],
    handler: async ({ directory }, call) => {
      const { query, traceId } = call
      const workspaceId = call.workspaceId === '' ? null : call.workspaceId
      const { person: personId = null, path = null } = query as { person?: string; path?: string }
      const [since, until] = [instantIn(query, 'since'), instantIn(query, 'until')]
      const wanted = { workspaceId, personId, path, since, until, limit: limitOf(call), after: readCursor(call) }
      const { items, next } = await directory.ask('list-audit', wanted, traceId)
      return new Paged(items.map(auditObject), formatCursor(call, next))
    },
  })

/** Returns the parameter's instant, rounded up to a whole millisecond. Null: the parameter was not sent. */
function instantIn(query: Readonly<Record<string, unknown>>, name: 'since' | 'until'): number | null {
  const sent = query[name]
  if (typeof sent !== 'string') return null
  const atUs = parseTimestamp(sent)
  if (atUs === null) throw invalidParameter(name, `The parameter '${name}' must be an RFC 3339 instant with a zone`)
  return Math.ceil(atUs / 1_000)
}

const write = writerOf(AuditObject)
export const auditObject = (row: AuditView) => write({ ...row, workspace: row.workspaceId })

export const auditRoutes = [
  list(
    '/workspaces/:workspace/audit',
    { role: 'owner', scope: 'full' },
    'Who changed what in the workspace or read its evidence, newest first.',
  ),
  list('/audit', administering, 'Who changed what outside of workspaces, newest first; a workspace has its own audit.'),
]
