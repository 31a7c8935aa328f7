// Where reports of a path go: subject ids by workspace and subject slug, remembered so that a sender who comes again costs no question
// to the directory. Never answers for a workspace that the caller is no member of.
import { limits } from '#shared/limits.ts'
import { roleIn } from '../../access.ts'
import { type Call, pathPart } from '../../answer.ts'
import { createFoundMemory } from '../../found-memory.ts'
import { queryText } from '../../query.ts'
import type { FoundMemory } from '../../route.ts'

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

/** A slug without a workspace means any of the caller's: with one it is that one. */
const onlyWorkspaceOf = ({ memberships }: Call['request']['identity']): string | null =>
  memberships.length === 1 ? (memberships[0]?.workspaceId ?? null) : null

/** No id and no stored slug holds a line break. */
const keyOf = (address: Pick<ReportAddress, 'workspaceId' | 'subjectSlug'>): string =>
  `${address.workspaceId}\n${address.subjectSlug}`
