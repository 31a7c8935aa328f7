// Audit in the store: writes the blocks that gateways send, and reads rows in pages. Reference: docs/reference/v3.md, 11.3 to 11.5.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import { limits } from '#shared/limits/limits.ts'
import { type AuditPlace, auditPlaceText, parseAuditBlockId, readAuditPlace } from '#shared/text/audit-ids.ts'
import { pathAfterWorkspace } from '#shared/tokens/audited-path.ts'
import type { AskAnswerer } from '../context.ts'
import { invalidCursor } from '../documents/page.ts'
import { blockDocument, type PlacedRow, viewOf } from './audit-blocks.ts'
import { newestFirst } from './newest-first.ts'

const bounds = limits.audit

/** Stores blocks. Idempotent: the id of a block is made from its rows, and a block with a stored id is skipped. */
export const recordAudit: AskAnswerer<'record-audit'> = async ({ store }, { blocks }) => {
  if (blocks.length > 0) await store.insert('server_api_audit', blocks.map(blockDocument))
  return null
}

/**
 * Returns a page, newest first. After `limits.audit.lookedAt` read rows, returns the matching rows found so far, and the position `next`,
 * from which the next request continues.
 */
export const listAudit: AskAnswerer<'list-audit'> = async ({ store }, request) => {
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

/** Returns the workspaces that have audit rows. Reads one block of each workspace. */
export const listAuditedWorkspaces: AskAnswerer<'list-audited-workspaces'> = async ({ store }, { after = null }) => {
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

/**
 * Returns an id that follows all block ids of the workspace. A block id begins with the workspace id and `/`. `0` is the character after
 * `/`, so the returned id is greater than every block id.
 */
const behind = (workspaceId: string) => `${workspaceId}0`

/** Returns the row or instant before which the page's rows must be: the last row of the previous page, else `until`. Null: no bound. */
function endOf({ until, after = null }: AskRequest<'list-audit'>): AuditPlace | null {
  if (after === null) return until === null ? null : { at: until, number: 0, gateway: '' }
  const place = readAuditPlace(after)
  if (place !== null) return place
  throw invalidCursor()
}

const isWanted = ({ kind: [personId], path }: PlacedRow, wanted: AskRequest<'list-audit'>): boolean =>
  (wanted.personId === null || personId === wanted.personId) &&
  (wanted.path === null || pathAfterWorkspace(path).startsWith(wanted.path))
