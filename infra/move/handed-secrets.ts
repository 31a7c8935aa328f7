// Secrets that an installation has outside of its store, and that its new place must have: the salt of incident ids, the key of sealed
// secrets, the keys of the bus. Their values go to a file that this user alone may read, never to the terminal.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AllSettings } from '../runtime/all-settings.ts'
import { writeSecretFile } from '../runtime/data/data-folder.ts'
import { sealingKeyFault, secretsKeyFile } from '../runtime/data/kept-secrets-key.ts'
import { exitCodes, StartError } from '../runtime/start-error.ts'
import type { Place } from './place.ts'

export interface Handed {
  /** File with the settings that every process of the cluster needs; null: the new place is a folder, which has them. */
  file: string | null
  /** What the person must do, in sentences. */
  advice: string[]
}

export interface HandedOptions {
  from: Place
  incidentSalt: string
  /** Name of the key with which secrets are sealed; null: none are. */
  knownKey: string | null
  settings: AllSettings
}

const settingsFile = 'cluster.env'

/** Secrets that an earlier call has handed over. */
export const handedEarlier = (from: Place): Handed => ({
  file: from.kind === 'folder' ? join(from.path, settingsFile) : null,
  advice: [],
})

/** Throws a StartError if a key is missing without which secrets could not be opened. */
export async function handSecrets({ from, incidentSalt, knownKey, settings }: HandedOptions): Promise<Handed> {
  const kept = from.kind === 'folder' ? await readFile(join(from.path, secretsKeyFile), 'utf8').catch(() => '') : ''
  const key = settings.SECRETS_KEY || kept.trim()
  const fault = sealingKeyFault(key, knownKey)
  if (fault !== null) throw new StartError(fault, exitCodes.refused)
  if (from.kind === 'cluster') return { file: null, advice: adviceForFolder(settings) }
  const file = join(from.path, settingsFile)
  await writeSecretFile(file, `SQIDS_SALT=${incidentSalt}\n${key === '' ? '' : `SECRETS_KEY=${key}\n`}`)
  return {
    file,
    advice: [
      `Give every directory, keeper, notifier, prober and gateway of the cluster the settings in ${file}.`,
      `Probers elsewhere keep their credentials if the NATS servers have the keys in ${join(from.path, 'bus/keys.json')} (NATS_KEYS), and ` +
        'need the new address; else make new credentials for them.',
    ],
  }
}

const adviceForFolder = ({ NATS_KEYS, SECRETS_KEY }: AllSettings): string[] => [
  ...(SECRETS_KEY === '' ? [] : ['The key of secrets is in the folder: SECRETS_KEY is not needed there.']),
  NATS_KEYS === ''
    ? 'NATS_KEYS was not set, so the folder gets new keys of the bus: make new credentials for probers elsewhere.'
    : 'Probers elsewhere keep their credentials, and need the new address.',
]
