// Credentials for the bus and the key of sealed secrets. Reads files, and keeps nothing secret of them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseBusKeys } from '#shared/bus/probers/bus-keys.ts'
import { claimsOfCredentials } from '#shared/bus/probers/nats-jwt.ts'
import { second } from '#shared/limits/limits.ts'
import type { AllSettings } from '../../runtime/all-settings.ts'
import { sealingKeyFault, secretsKeyFile } from '../../runtime/data/kept-secrets-key.ts'
import type { RunMode } from '../../runtime/run-mode.ts'
import type { CredentialsFacts, FolderFacts, SealingFacts, StoreFacts } from '../facts.ts'

/** Returns null if the process has no credentials of its own, or none that can be read: a start says so. */
export async function lookAtCredentials({ NATS_CREDENTIALS, NATS_KEYS }: AllSettings): Promise<CredentialsFacts | null> {
  if (NATS_CREDENTIALS === '') return null
  const claims = claimsOfCredentials(await textOf(NATS_CREDENTIALS))
  if (claims === null) return null
  const keys = NATS_KEYS === '' ? null : parseBusKeys(await textOf(NATS_KEYS))
  const { exp } = claims as { exp?: unknown }
  return {
    expiresAt: typeof exp === 'number' && exp > 0 ? exp * second : null,
    fitsKeys: keys === null || claims.iss === keys.houseAccount,
  }
}

const needing = ['gateway', 'directory', 'notifier', 'prober'] as const

export async function lookAtSealing(
  settings: AllSettings,
  mode: RunMode | null,
  store: StoreFacts,
  folder: FolderFacts | null,
): Promise<SealingFacts> {
  const isNeeded = mode !== null && needing.some(service => mode.services.includes(service))
  const kept = mode?.embeddedStore === true && folder !== null ? (await textOf(join(folder.path, secretsKeyFile))).trim() : ''
  const keys = settings.SECRETS_KEY || kept
  const known = store.kind === 'mongodb' || (store.kind === 'sqlite' && !store.isUsed) ? store.sealingKeyId : null
  // The first start with SQLite makes the key.
  const isMadeLater = mode?.embeddedStore === true && keys === '' && known === null
  return { isNeeded: isNeeded && !isMadeLater, hasKey: keys !== '', fault: sealingKeyFault(keys, known) }
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
