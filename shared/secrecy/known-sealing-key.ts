// Name of the key with which the secrets of an installation are sealed, as its store knows it. The store never has the key.
import type { Store } from '#shared/store/port.ts'

const settingId = 'sealing-key'

/** Returns the name; null: no key has been used. */
export async function knownSealingKey(store: Pick<Store, 'get'>): Promise<string | null> {
  const [known = null] = await store.get('settings', [settingId])
  return known?.value ?? null
}

/** Stores the name if the store knows none. Several processes may do so at the same time. */
export async function noteSealingKey(store: Pick<Store, 'insert'>, keyId: string): Promise<void> {
  await store.insert('settings', [{ id: settingId, rev: 1, value: keyId }])
}

/** Stores the name of another key, with which all secrets are sealed now. */
export async function changeSealingKey(store: Pick<Store, 'upsert'>, keyId: string): Promise<void> {
  await store.upsert('settings', [{ id: settingId, rev: 1, value: keyId }])
}
