// An API world with an open Incident, and a link by which it can be taken on.
import type { Test } from 'tap'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { minute } from '#shared/limits/limits.ts'
import { signingKey } from '#shared/notifications/acknowledge-keys.ts'
import { type AcknowledgeClaims, acknowledgeExpiry, makeAcknowledgeToken } from '#shared/tokens/acknowledge-token.ts'
import { destination } from '../../notifier/house.ts'
import { incident } from '../../store/documents.ts'
import { startApiWorld } from './api-world.ts'

export const incidentId = 'subject123.1'
export const destinationId = 'dest000001'

/** Starts a world in `w1`. `taken` returns who has taken the Incident on. */
export async function startAcknowledgeWorld(t: Test, over: Partial<IncidentDocument> = {}) {
  const world = await startApiWorld()
  t.teardown(() => world.stop())
  const { store, clock } = world
  await world.addPerson('olga', { w1: 'owner' })
  await world.addSubject({ id: 'subject123', workspaceId: 'w1', name: '<b>Shop</b>' })
  const at = clock.now()
  const open = { subjectId: 'subject123', workspaceId: 'w1', troubleSince: at - 14 * minute, confirmedAt: at - 12 * minute }
  const cause = { input: null, isLocation: false, reason: 'connection refused by "db"', at: null, isSilence: false }
  await store.upsert('incidents', [incident(incidentId, { ...open, cause, action: 'Restart <it>', ...over })])
  await store.insert('destinations', [destination(destinationId, 'https://x.example', { workspaceId: 'w1', name: 'On call' })])
  const tokenOf = async (claims: Partial<AcknowledgeClaims> = {}): Promise<string> =>
    makeAcknowledgeToken(
      { incidentId, destinationId, expiresAt: acknowledgeExpiry(at), ...claims },
      await signingKey(store, clock.now()),
    )
  const taken = async () => (await store.get('incidents', [incidentId]))[0]?.acknowledgedBy ?? null
  return { ...world, at, tokenOf, token: await tokenOf(), taken }
}
