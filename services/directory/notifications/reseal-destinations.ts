// Secrets of destinations, sealed anew after the installation got another key: whatever is written is sealed with the first key.
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { holdsSealed } from '#shared/secrecy/sealed-form.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { changeGuarded } from '../documents/guarded.ts'

/** Writes every destination with settings. Returns those with a secret that no key here opens. Rejects with a StoreError. */
export async function resealDestinations(store: Store): Promise<Pick<DestinationDocument, 'id' | 'name' | 'workspaceId'>[]> {
  const lost: Pick<DestinationDocument, 'id' | 'name' | 'workspaceId'>[] = []
  for await (const page of pagesOf({ where: {}, limit: limits.store.findMax }, query => store.find('destinations', query))) {
    for (const { id, name, workspaceId, settings, former } of page) {
      if (settings === undefined) continue
      if (holdsSealed(settings) || holdsSealed(former)) lost.push({ id, name, workspaceId })
      await changeGuarded(store, 'destinations', id, present => present)
    }
  }
  return lost
}
