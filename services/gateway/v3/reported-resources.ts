// The Resource of a path that takes an Observation: found by three of its fields, and remembered, so that a sender who comes again costs no
// question to the directory.
import type { ResolvedResource } from '#shared/contracts/ask-resources.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { pathPart } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { createFoundMemory } from '../found-memory.ts'
import type { FoundMemory } from '../route.ts'
import type { V3Call } from './common.ts'

export interface ReportedResource extends Omit<ResolvedResource, 'template'> {
  workspaceId: string
  /** The part of the path that named it. */
  reference: string
}

/** By id, else by key; comes before scope and role. */
export async function findReported({ directory }: GatewayContext, call: V3Call): Promise<ReportedResource> {
  const { workspaceId, traceId } = call
  const reference = pathPart(call, 'resource')
  const [found] = await directory.ask('resolve-resources', { workspaceId, references: [reference] }, traceId)
  if (found == null) throw resourceNotFound()
  const { id, key, archivedAt } = found
  return { id, key, archivedAt, workspaceId, reference }
}

/** The caller is a member of the workspace by then. An archived one is not remembered: nothing is reported on it again. */
export const rememberReported = (): FoundMemory<ReportedResource, V3Call> =>
  createFoundMemory({
    keyOf: call => keyOf(call.workspaceId, pathPart(call, 'resource')),
    keyOfFound: ({ workspaceId, reference, archivedAt }) => (archivedAt === null ? keyOf(workspaceId, reference) : null),
    max: limits.subject.reportAddresses,
  })

export const resourceNotFound = () =>
  new AppError('not_found', 'Resource not found', { details: 'The workspace has no such Resource' })

/** No id and no key holds a line break. */
const keyOf = (workspaceId: string, reference: string): string => `${workspaceId}\n${reference}`
