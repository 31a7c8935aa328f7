// The installation's salt of public incident ids: created once, by the first process with the store.
import { hash } from 'node:crypto'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'

export const incidentSaltId = 'incident-salt'
const saltLength = 32

/** Returns the salt. The first process inserts the salt, and later processes read it. The salt never changes. */
export async function installationSalt(store: Store): Promise<string> {
  const proposed = { id: incidentSaltId, rev: 1, value: randomId(saltLength) }
  await store.insert('settings', [proposed])
  const [decided] = await store.get('settings', [incidentSaltId])
  return decided?.value ?? proposed.value
}

/** Returns a digest by which two salts are compared without storing the one that is in effect. */
export const digestOfSalt = (salt: string): string => hash('sha256', salt).slice(0, saltLength)
