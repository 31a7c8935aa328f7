// The installation's salt of public incident ids: created once, by the first process with the store.

import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'

const settingId = 'incident-salt'
const saltLength = 32

/** Returns the salt. The first process inserts the salt, and later processes read it. The salt never changes. */
export async function installationSalt(store: Store): Promise<string> {
  const proposed = { id: settingId, rev: 1, value: randomId(saltLength) }
  await store.insert('settings', [proposed])
  const [decided] = await store.get('settings', [settingId])
  return decided?.value ?? proposed.value
}
