// Key of sealed secrets in the data folder of an installation with SQLite. A backup has it; a copy of the store alone opens no secret.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { areSealingKeys, newSealingKey } from '#shared/secrecy/seals.ts'
import { StartError } from '../start-error.ts'
import { writeSecretFile } from './data-folder.ts'

export const secretsKeyFile = 'secrets.key'

/** Returns the content of the file, which the first start makes. Throws a StartError if the file holds no key. */
export async function keptSecretsKey(dataFolder: string): Promise<string> {
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
  const key = newSealingKey()
  await writeSecretFile(path, `${key}\n`)
  return key
}
