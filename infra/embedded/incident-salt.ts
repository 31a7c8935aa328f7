// The installation's own salt of public incident ids: made once, by the first process that has the store.
import { randomId } from '#shared/ids.ts'
import type { Store } from '#shared/store/port.ts'

const settingId = 'incident-salt'
const saltLength = 32

/** The first insert decides; whoever comes second reads what was decided. Never changes afterwards. */
export async function installationSalt(store: Store): Promise<string> {
  const proposed = { id: settingId, rev: 1, value: randomId(saltLength) }
  await store.insert('settings', [proposed])
  const [decided] = await store.get('settings', [settingId])
  return decided?.value ?? proposed.value
}
