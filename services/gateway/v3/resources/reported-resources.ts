// Lookup of the Resource that the path of a report names. Three fields of the Resource are cached, so that
// a sender's repeated reports need no question to the directory.
import type { ResolvedResource } from '#shared/contracts/ask/ask-resources.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { GatewayContext } from '../../context.ts'
import { pathPart } from '../../http/answer.ts'
import type { FoundMemory } from '../../http/route.ts'
import { createFoundMemory } from '../../subjects/found-memory.ts'
import type { V3Call } from '../common.ts'

export interface ReportedResource extends Omit<ResolvedResource, 'template'> {
  workspaceId: string
  /** Id or key of the Resource in the path. */
  reference: string
}

/** Returns the Resource with this id, or else with this key. Runs before scope and role are checked. */
export async function findReported({ directory }: GatewayContext, call: V3Call): Promise<ReportedResource> {
  const { workspaceId, traceId } = call
  const reference = pathPart(call, 'resource')
  const [found] = await directory.ask('resolve-resources', { workspaceId, references: [reference] }, traceId)
  if (found == null) throw resourceNotFound()
  const { id, key, archivedAt } = found
  return { id, key, archivedAt, workspaceId, reference }
}

/**
 * Creates the cache. Whether the caller is a member of the workspace is checked before the cache is read. Archived Resources are not
 * cached, because they accept no reports.
 */
export const rememberReported = (): FoundMemory<ReportedResource, V3Call> =>
  createFoundMemory({
    keyOf: call => keyOf(call.workspaceId, pathPart(call, 'resource')),
    keyOfFound: ({ workspaceId, reference, archivedAt }) => (archivedAt === null ? keyOf(workspaceId, reference) : null),
    max: limits.subject.reportAddresses,
  })

export const resourceNotFound = () => refusal('not_found', 'Resource not found', 'The workspace has no such Resource')

/** Joins the workspace's id and the reference by a line break. Neither ids nor keys contain a line break. */
const keyOf = (workspaceId: string, reference: string): string => `${workspaceId}\n${reference}`
