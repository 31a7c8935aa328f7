// Cache of subject ids by workspace and slug, so that repeated reports of a sender need no question to the directory. Returns a subject
// only if the caller is a member of its workspace.
import { limits } from '#shared/limits/limits.ts'
import { queryText } from '../../body/query.ts'
import { roleIn } from '../../callers/access.ts'
import { type Call, pathPart } from '../../http/answer.ts'
import type { FoundMemory } from '../../http/route.ts'
import { createFoundMemory } from '../../subjects/found-memory.ts'

export interface ReportAddress {
  workspaceId: string
  subjectId: string
  subjectSlug: string
}

export const createReportAddresses = (): FoundMemory<ReportAddress, Call> =>
  createFoundMemory({
    keyOf: call => {
      const { request } = call
      const workspaceId = queryText(request, 'workspace_id') ?? onlyWorkspaceOf(request.identity)
      if (workspaceId === null || roleIn(request.identity, workspaceId) === null) return null
      return keyOf({ workspaceId, subjectSlug: pathPart(call, 'subject') })
    },
    keyOfFound: (address: ReportAddress) => keyOf(address),
    max: limits.subject.reportAddresses,
  })

/**
 * Returns the caller's only workspace; null: the caller has several workspaces or none. If the query names no workspace, a slug may belong
 * to any workspace of the caller. So the cache is used only for callers with one workspace.
 */
const onlyWorkspaceOf = ({ memberships }: Call['request']['identity']): string | null =>
  memberships.length === 1 ? (memberships[0]?.workspaceId ?? null) : null

/** Joins the workspace's id and the slug by a line break. Neither an id nor a slug contains a line break. */
const keyOf = (address: Pick<ReportAddress, 'workspaceId' | 'subjectSlug'>): string =>
  `${address.workspaceId}\n${address.subjectSlug}`
