// Key of sealed secrets in the data folder of an installation with SQLite. A backup has it; a copy of the store alone opens no secret.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { areSealingKeys, createSeals, newSealingKey } from '#shared/secrecy/seals.ts'
import { StartError } from '../start-error.ts'
import { writeSecretFile } from './data-folder.ts'

export const secretsKeyFile = 'secrets.key'

/**
 * Returns the content of the file, which the first start makes. `known`: name of the key that the store knows; null: none. Returns an empty
 * text if the file is missing although the store knows a key, because a new key would open nothing. Throws a StartError if the file holds no
 * key.
 */
export async function keptSecretsKey(dataFolder: string, known: string | null): Promise<string> {
  const path = join(dataFolder, secretsKeyFile)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (kept !== null) {
    if (areSealingKeys(kept.trim())) return kept.trim()
    throw new StartError(
      `${path} holds no key: put the right file there. Without it no secret of a check can be opened; remove it, and the start makes a new key.`,
    )
  }
  if (known !== null) return ''
  const key = newSealingKey()
  await writeSecretFile(path, `${key}\n`)
  return key
}

/**
 * Returns why the keys do not fit the store, a sentence; null: they fit, or no key has been used. `known`: name of the key that the store
 * knows.
 */
export function sealingKeyFault(keys: string, known: string | null): string | null {
  const ids = createSeals(keys)?.keyIds ?? []
  if (known === null || ids.includes(known)) return null
  const lack = ids.length === 0 ? 'there is none here' : 'the one here is another'
  return `Secrets of checks are sealed with a key, and ${lack}: none can be set, and none opened. Put the right key into SECRETS_KEY or the file ${secretsKeyFile}; if it is lost, run ./watchkeeper secrets rotate with another one.`
}
