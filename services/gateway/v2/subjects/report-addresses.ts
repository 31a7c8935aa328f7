// Where reports of a path go: subject ids by workspace and subject slug, remembered so that a sender who comes again costs no question
// to the directory. Only a hint: the subject's keeper knows whether subject and signal are there, and whatever is refused is looked
// up anew before it is answered. Never answers for a workspace that the caller is no member of.
import { limits } from '#shared/limits.ts'
import { roleIn } from '../../access.ts'
import { type Call, pathPart } from '../../answer.ts'
import { queryText } from '../../query.ts'
import type { FoundMemory } from '../../route.ts'

export interface ReportAddress {
  workspaceId: string
  subjectId: string
  subjectSlug: string
}

export function createReportAddresses(): FoundMemory<ReportAddress, Call> {
  /** The least recently used first, as far as that matters: while there is much room the order is left alone. */
  const remembered = new Map<string, ReportAddress>()
  const put = (key: string, address: ReportAddress) => {
    remembered.delete(key)
    const oldest = remembered.keys().next().value
    if (remembered.size >= limits.subject.reportAddresses && oldest !== undefined) remembered.delete(oldest)
    remembered.set(key, address)
  }
  const known = (call: Call) => {
    const { request } = call
    const workspaceId = queryText(request, 'workspace_id') ?? onlyWorkspaceOf(request.identity)
    if (workspaceId === null || roleIn(request.identity, workspaceId) === null) return null
    const subjectSlug = pathPart(call, 'subject')
    const key = keyOf({ workspaceId, subjectSlug })
    const found = remembered.get(key) ?? null
    if (found !== null && remembered.size >= limits.subject.reportAddresses / 2) put(key, found)
    return found
  }
  return {
    known,
    remember: address => put(keyOf(address), address),
    forget: address => void remembered.delete(keyOf(address)),
  }
}

/** A slug without a workspace means any of the caller's: with one it is that one. */
const onlyWorkspaceOf = ({ memberships }: Call['request']['identity']): string | null =>
  memberships.length === 1 ? (memberships[0]?.workspaceId ?? null) : null

/** No id and no stored slug holds a line break. */
const keyOf = (address: Pick<ReportAddress, 'workspaceId' | 'subjectSlug'>): string =>
  `${address.workspaceId}\n${address.subjectSlug}`
