// Secrets of an installation in one of its backups, for a cluster that shall be its new place.
import { type BusKeys, parseBusKeys } from '#shared/bus/probers/bus-keys.ts'
import { readBackup } from '#shared/store/sqlite/sqlite-backup.ts'
import { inspectSqliteFile } from '#shared/store/sqlite/sqlite-inspect.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import { incidentSaltId } from '../runtime/data/incident-salt.ts'
import { secretsKeyFile } from '../runtime/data/kept-secrets-key.ts'
import { startStep } from '../runtime/start-error.ts'
import { busKeysFile } from './target.ts'

export interface KeptSecrets {
  /** Null: the backup has none. */
  busKeys: BusKeys | null
  sealingKey: string | null
  incidentSalt: string | null
}

/** Secrets that the installation has as settings precede those of the backup. Throws a StartError. */
export async function secretsOfBackup(
  file: string,
  { SQIDS_SALT, SECRETS_KEY }: Pick<AllSettings, 'SQIDS_SALT' | 'SECRETS_KEY'>,
): Promise<KeptSecrets> {
  const { files } = await startStep(async () => readBackup(file))
  const { setting } = await startStep(async () => inspectSqliteFile(file, incidentSaltId, true))
  return {
    busKeys: parseBusKeys(files[busKeysFile] ?? ''),
    sealingKey: SECRETS_KEY || files[secretsKeyFile]?.trim() || null,
    incidentSalt: SQIDS_SALT || setting,
  }
}
