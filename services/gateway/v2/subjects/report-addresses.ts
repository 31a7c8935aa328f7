// Cache of subject ids by workspace and slug, so that repeated reports of a sender need no question to the directory. Returns only subjects
// of workspaces that have the caller as a member.
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
 * Returns the caller's only workspace. Without a workspace in the query, a slug is looked up in all workspaces of the caller. The cache is
 * used only if the caller has a single workspace.
 */
const onlyWorkspaceOf = ({ memberships }: Call['request']['identity']): string | null =>
  memberships.length === 1 ? (memberships[0]?.workspaceId ?? null) : null

/** Joins id and slug by a line break, which neither contains. */
const keyOf = (address: Pick<ReportAddress, 'workspaceId' | 'subjectSlug'>): string =>
  `${address.workspaceId}\n${address.subjectSlug}`
