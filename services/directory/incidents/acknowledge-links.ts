// What acknowledge links are about, and the end of all of them. A gateway sends what a token says and the token's hash, so that only this
// process and the notifiers, which make the tokens, know the keys. Reference: docs/reference/v3.md, 10.21.
import { acknowledgeKeys, rotateAcknowledgeKeys } from '#shared/notifications/acknowledge-keys.ts'
import { isProven } from '#shared/tokens/acknowledge-token.ts'
import type { AskAnswerer } from '../context.ts'
import { isDeleted } from '../people/workspaces.ts'
import { readIncident } from './incident-list.ts'

/** Returns what the link is about; null: it proves nothing, or its destination, its Incident or their workspace is gone. */
export const readAcknowledgeLink: AskAnswerer<'read-acknowledge-link'> = async (context, { tokenHash, ...claims }) => {
  const { store, clock } = context
  if (!isProven(claims, tokenHash, await acknowledgeKeys(store), clock.now())) return null
  const [destination = null] = await store.get('destinations', [claims.destinationId])
  if (destination === null) return null
  const { id, name, workspaceId } = destination
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  if (workspace === null || isDeleted(workspace)) return null
  const incident = await readIncident(context, { workspaceId, incidentId: claims.incidentId })
  return incident === null ? null : { workspaceId, destination: { id, name }, incident }
}

export const rotateAcknowledgeLinks: AskAnswerer<'rotate-acknowledge-links'> = async ({ store, clock, logger }) => {
  await rotateAcknowledgeKeys(store, clock.now())
  logger.info('all acknowledge links have ended')
  return null
}
