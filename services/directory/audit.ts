// The audit in the store: rows that gateways recorded, and pages of them. Rules: docs/reference/v3.md, 11.3 to 11.5.
import { pathAfterWorkspace } from '#shared/audited-path.ts'
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { AuditRow, AuditView } from '#shared/contracts/ask-audit.ts'
import type { AuditDocument } from '#shared/contracts/audit.ts'
import type { Page } from '#shared/contracts/page.ts'
import { AppError } from '#shared/errors.ts'
import { auditBound, auditId, auditPrefix, endOfPrefix, parseAuditId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { DirectoryContext } from './context.ts'

const bounds = limits.audit

/** Idempotent: a row has its identity from its gateway, and the first content of an identity stays. */
export async function recordAudit({ store }: DirectoryContext, { rows }: AskRequest<'record-audit'>): Promise<null> {
  if (rows.length > 0) await store.insert('server_api_audit', rows.map(documentOf))
  return null
}

/** Newest first. Looks at `limits.audit.lookedAt` rows at most, and then returns what it has found with a `next`. */
export async function listAudit({ store }: DirectoryContext, request: AskRequest<'list-audit'>): Promise<Page<AuditView>> {
  const { workspaceId, limit } = request
  const prefix = auditPrefix(workspaceId)
  const isFiltered = request.personId !== null || request.path !== null
  const reads = isFiltered ? bounds.perRead : limit + 1
  const gte = request.since === null ? prefix : auditBound(workspaceId, request.since)
  let lt = endOf(request, prefix)
  const items: AuditView[] = []
  for (let looked = 0; ; looked += reads) {
    if (looked >= bounds.lookedAt) return { items, next: lt.slice(prefix.length) }
    const found = await store.find('server_api_audit', { where: { id: { gte, lt } }, sort: [['id', 'desc']], limit: reads })
    for (const row of found) {
      if (items.length === limit) return { items, next: lt.slice(prefix.length) }
      lt = row.id
      if (isWanted(row, request)) items.push(viewOf(row))
    }
    if (found.length < reads) return { items, next: null }
  }
}

/** Jumps from one workspace to the next, so that it reads one row of each. */
export async function listAuditedWorkspaces(
  { store }: DirectoryContext,
  { after = null }: AskRequest<'list-audited-workspaces'>,
): Promise<Page<string | null>> {
  const items: (string | null)[] = []
  let last = after
  while (items.length < bounds.workspacesPerPage) {
    const gte = last === null ? '' : behind(last)
    const [found] = await store.find('server_api_audit', { where: { id: { gte } }, limit: 1, select: [] })
    if (found === undefined) return { items, next: null }
    const { workspaceId } = parseAuditId(found.id)
    items.push(workspaceId)
    last = workspaceId ?? ''
  }
  return { items, next: last }
}

/** Behind all ids of the workspace's rows: `0` follows `/`. */
const behind = (workspaceId: string) => `${workspaceId}0`

/** The end of the page: the row before it, or `until`. */
function endOf({ workspaceId, until, after = null }: AskRequest<'list-audit'>, prefix: string): string {
  if (after === null) return until === null ? endOfPrefix(prefix) : auditBound(workspaceId, until)
  if (nextForm.test(after)) return prefix + after
  throw new AppError('validation', 'Invalid cursor', { details: 'after is not the next of a page', facts: { field: 'cursor' } })
}

const nextForm = /^[0-9A-Za-z]{17}$/

const isWanted = ({ personId, path }: AuditDocument, wanted: AskRequest<'list-audit'>): boolean =>
  (wanted.personId === null || personId === wanted.personId) &&
  (wanted.path === null || pathAfterWorkspace(path).startsWith(wanted.path))

function documentOf({ at, order, workspaceId, isObservation, ...row }: AuditRow): AuditDocument {
  const { auditMs, auditObservationsMs } = limits.retention
  return { id: auditId(workspaceId, at, order), ...row, expireAt: at + (isObservation ? auditObservationsMs : auditMs) }
}

function viewOf({
  id,
  personId,
  personName,
  keyId,
  keyPrefix,
  addressId,
  method,
  path,
  status,
  userAgent,
}: AuditDocument): AuditView {
  return {
    ...parseAuditId(id),
    person: personId === null ? null : { id: personId, name: personName ?? '' },
    key: keyId === null ? null : { id: keyId, prefix: keyPrefix ?? '' },
    address: addressId === null ? null : { id: addressId },
    method,
    path,
    status,
    userAgent,
  }
}
