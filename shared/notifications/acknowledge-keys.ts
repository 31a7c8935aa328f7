// Keys of acknowledge links, at most two, in one document of the installation. The first message with a link makes a key, and the insert that
// comes first decides. A key signs for 30 days, then another does; the former one is kept until its links have expired. Rotation removes
// all of them, and so ends all links.
import { limits } from '#shared/limits/limits.ts'
import type { SettingDocument } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { randomBase64, randomId } from '#shared/text/ids.ts'
import { type AcknowledgeKey, keyIdCharacters } from '#shared/tokens/acknowledge-token.ts'

interface KeptKey extends AcknowledgeKey {
  /** ms since the epoch */
  madeAt: number
}

const settingId = 'acknowledge-keys'
const { keyMs, keys: most, keyBytes, keyTries } = limits.acknowledge

/** Returns the keys whose links are valid, the newest first. Rejects with a StoreError. */
export async function acknowledgeKeys(store: Store): Promise<readonly AcknowledgeKey[]> {
  const [stored = null] = await store.get('settings', [settingId])
  return keysIn(stored)
}

/** Returns the key that signs now. Makes one if there is none, or if the newest is too old. `now`: ms. Rejects with a StoreError. */
export async function signingKey(store: Store, now: number): Promise<AcknowledgeKey> {
  const keys = await changed(store, present => {
    const [newest] = present
    return newest !== undefined && now - newest.madeAt < keyMs ? present : [madeKey(now), ...present].slice(0, most)
  })
  return keys[0] as KeptKey
}

/** Ends all links. `now`: ms. Rejects with a StoreError. */
export const rotateAcknowledgeKeys = async (store: Store, now: number): Promise<void> =>
  void (await changed(store, () => [madeKey(now)]))

/** Replaces the keys by the result of `change`, unless it is the same list. Returns the stored keys. */
async function changed(store: Store, change: (present: readonly KeptKey[]) => readonly KeptKey[]): Promise<readonly KeptKey[]> {
  for (let i = 0; i < keyTries; i++) {
    const [stored = null] = await store.get('settings', [settingId])
    const present = keysIn(stored)
    const wanted = change(present)
    if (wanted === present) return present
    const [result] = await store.replace('settings', [
      { id: settingId, rev: (stored?.rev ?? 0) + 1, value: JSON.stringify(wanted) },
    ])
    if (result === 'written') return wanted
  }
  throw new Error('the keys of acknowledge links changed too often at once')
}

const madeKey = (madeAt: number): KeptKey => ({ id: randomId(keyIdCharacters), secret: randomBase64(keyBytes), madeAt })

const keysIn = (stored: SettingDocument | null): readonly KeptKey[] => (stored === null ? [] : JSON.parse(stored.value))
