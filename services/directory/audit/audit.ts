// The audit in the store: blocks of rows that gateways recorded, and pages of rows. Rules: docs/reference/v3.md, 11.3 to 11.5.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { type AuditPlace, auditPlaceText, parseAuditBlockId, readAuditPlace } from '#shared/text/audit-ids.ts'
import { pathAfterWorkspace } from '#shared/tokens/audited-path.ts'
import type { DirectoryContext } from '../context.ts'
import { blockDocument, type PlacedRow, viewOf } from './audit-blocks.ts'
import { newestFirst } from './newest-first.ts'

const bounds = limits.audit

/** Idempotent: a block has its identity from its rows, and the first content of an identity stays. */
export async function recordAudit({ store }: DirectoryContext, { blocks }: AskRequest<'record-audit'>): Promise<null> {
  if (blocks.length > 0) await store.insert('server_api_audit', blocks.map(blockDocument))
  return null
}

/** Newest first. Looks at `limits.audit.lookedAt` rows at most, and then returns what it has found with a `next`. */
export async function listAudit({ store }: DirectoryContext, request: AskRequest<'list-audit'>): Promise<Page<AuditView>> {
  const { workspaceId, since, limit } = request
  const isFiltered = request.personId !== null || request.path !== null
  const perRead = isFiltered ? bounds.perRead : limit + 1
  const items: AuditView[] = []
  let last: PlacedRow | null = null
  let looked = 0
  for await (const rows of newestFirst(store, { workspaceId, since, end: endOf(request), perRead })) {
    for (const row of rows) {
      if (last !== null && (items.length === limit || looked === bounds.lookedAt)) return { items, next: auditPlaceText(last) }
      last = row
      looked++
      if (isWanted(row, request)) items.push(viewOf(workspaceId, row))
    }
  }
  return { items, next: null }
}

/** Jumps from one workspace to the next, so that it reads one block of each. */
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
    const { workspaceId } = parseAuditBlockId(found.id)
    items.push(workspaceId)
    last = workspaceId ?? ''
  }
  return { items, next: last }
}

/** Behind all ids of the workspace's blocks: `0` follows `/`. */
const behind = (workspaceId: string) => `${workspaceId}0`

/** The page has rows before this place: the last row of the page before, or `until`. */
function endOf({ until, after = null }: AskRequest<'list-audit'>): AuditPlace | null {
  if (after === null) return until === null ? null : { at: until, number: 0, gateway: '' }
  const place = readAuditPlace(after)
  if (place !== null) return place
  throw new AppError('validation', 'Invalid cursor', { details: 'after is not the next of a page', facts: { field: 'cursor' } })
}

const isWanted = ({ kind: [personId], path }: PlacedRow, wanted: AskRequest<'list-audit'>): boolean =>
  (wanted.personId === null || personId === wanted.personId) &&
  (wanted.path === null || pathAfterWorkspace(path).startsWith(wanted.path))
