// What the doctor knows of an installation after it has looked. The folder `look` gathers it; checks only read it.
import type { ExaminedBus } from '#shared/bus/nats/nats-examine.ts'
import type { ExaminedMongodb } from '#shared/store/mongodb/mongodb-examine.ts'
import type { Room } from '#shared/store/port.ts'
import type { ExaminedSqlite } from '#shared/store/sqlite/sqlite-examine.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import type { RunMode } from '../runtime/run-mode.ts'

export interface Facts {
  /** Instant of the examination by the clock of this machine, ms since the epoch. */
  at: number
  /** Version of this program. */
  version: string
  /** Number that a store has after all migrations of this program. */
  latestNumber: number
  settings: SettingsFacts
  /** Null: this process keeps nothing in a data folder. */
  folder: FolderFacts | null
  /** What /readyz of the process on this machine responds; null: nothing responds on OPS_PORT. */
  readiness: { isReady: boolean; reasons: string[]; warnings: string[] } | null
  bus: BusFacts
  store: StoreFacts
  certificates: CertificateFacts[]
  credentials: CredentialsFacts | null
  sealing: SealingFacts
}

export interface SettingsFacts {
  /** Sentence with which a start would end; null: a start accepts the settings. */
  fault: string | null
  /** Null: a setting is invalid. */
  values: AllSettings | null
  mode: RunMode | null
}

export interface FolderFacts {
  path: string
  exists: boolean
  /** Error code or sentence for which nothing can be written; null: it can. */
  unwritable: string | null
  /** Process that has the folder at present; null: none. */
  holder: number | null
  room: Room | null
  /** Time to write a small file through to the disk, ms; null: not measured. */
  flushMs: number | null
}

/** `stopped`: the embedded bus does not run. `door`: a prober's credentials admit only to the door of its location. */
export type BusFacts = { state: 'stopped' } | { state: 'unknown'; why: string } | ({ state: 'looked' } & ExaminedBus)

export type StoreFacts =
  | { kind: 'none' }
  | { kind: 'unknown'; why: string }
  | ({ kind: 'sqlite'; isUsed: false } & ExaminedSqlite)
  | { kind: 'sqlite'; isUsed: true }
  | ({ kind: 'mongodb' } & ExaminedMongodb)

export interface CertificateFacts {
  /** A setting, or a server with its port. */
  name: string
  /** Instant at which it ends, ms since the epoch; null: it could not be read. */
  validTo: number | null
  validFrom: number | null
  /** Why it could not be read, or why it is not trusted; null: neither. */
  fault: string | null
}

export interface CredentialsFacts {
  /** Instant at which they end, ms since the epoch; null: they never end. */
  expiresAt: number | null
  /** False: NATS_KEYS is of another bus than NATS_CREDENTIALS. */
  fitsKeys: boolean
}

export interface SealingFacts {
  /** False: no service of this process needs the key. */
  isNeeded: boolean
  hasKey: boolean
  /** Why the keys do not fit the store, a sentence; null: they do, or the store is not known. */
  fault: string | null
}
