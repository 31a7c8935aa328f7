// Runs the missing migrations of a store, in order. Knows no database: the adapters pass theirs as a `Ground`. A start that was killed at
// any point is continued by the next one, because each page of changed documents and its progress are stored together, or in this order.
import { limits, second } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { Migration, StoredDocument } from '#shared/store/migrations/migration.ts'
import { firstNumber, latestNumber, migrations, releaseOf } from '#shared/store/migrations/migrations.ts'
import { type BackupContent, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Progress {
  /** Number of the newest migration that has begun. Programs that do not know it refuse the store. */
  number: number
  /** Number of the last migration that is complete; `number`: the store is not being migrated. */
  done: number
  /** Id of the last document that the migration after `done` has read; empty: none. */
  after: string
}

export interface MigrateOptions {
  clock: Pick<Clock, 'monotonic' | 'schedule'>
  /** Tells the person at the terminal a sentence. */
  tell(sentence: string): void
  /** Returns what the copy of an embedded store contains besides the store. */
  content(): Promise<BackupContent>
  /** Default: all. */
  list?: readonly Migration[]
  /** Number up to which is migrated; default: that of all. A migration that has begun is always finished. */
  upTo?: number
}

/** A store while it is migrated. All methods reject with a StoreError. */
export interface Ground {
  /** Null: the store is new. */
  progress(): Promise<Progress | null>
  note(progress: Progress): Promise<void>
  /** Copies the store before its first change, or tells the person about the backup. `release`: the one that left the store. */
  keep(release: string): Promise<void>
  /** Adds the columns and drops the indexes that the migration names; safe to repeat. */
  prepare(migration: Migration): Promise<void>
  /** Returns at most `limits.store.migration.pageDocuments` documents with ids after `after`, in the order of their ids. */
  page(collection: CollectionName, after: string): Promise<StoredDocument[]>
  /** Writes what `change` makes of the documents, then notes the progress. */
  write(migration: Migration, documents: readonly StoredDocument[], progress: Progress): Promise<void>
}

/** A new store gets the number of all migrations. */
export async function migrate(ground: Ground, options: MigrateOptions): Promise<void> {
  const { clock, tell, list = migrations } = options
  const found = await ground.progress()
  if (found === null) return await ground.note({ number: latestNumber(list), done: latestNumber(list), after: '' })
  const latest = numberToReach(found, options)
  const { number, done } = found
  if (done === latest) return
  const release = releaseOf(done, list)
  tell(
    number === done ? `The store of version ${release} is converted for this version.` : 'The conversion of the store goes on.',
  )
  const startedAt = clock.monotonic()
  if (number === done) await ground.keep(release)
  let { after } = found
  const pending = list.slice(done - firstNumber, latest - firstNumber)
  // From here on, older programs refuse the store.
  await ground.note({ number: latest, done, after })
  for (const migration of pending) await ground.prepare(migration)
  for (const [index, migration] of pending.entries()) {
    tell(`Step ${index + 1} of ${pending.length}: ${migration.what}.`)
    const progress = { number: latest, done: migration.number - 1, after }
    if (migration.change !== undefined) await rewrite(ground, migration, progress, { clock, tell })
    after = ''
    await ground.note({ number: latest, done: migration.number, after })
  }
  tell(`The store is converted. It took ${Math.ceil((clock.monotonic() - startedAt) / second)} s.`)
}

/**
 * Returns the number that the store gets; its own if it lacks no migration. Throws a permanent StoreError if this program does not know the
 * store.
 */
export function numberToReach(
  { number }: Pick<Progress, 'number'>,
  { list = migrations, upTo = latestNumber(list) }: Pick<MigrateOptions, 'list' | 'upTo'>,
): number {
  const latest = latestNumber(list)
  if (number > latest) {
    throw new StoreError(
      'permanent',
      `A newer version of Watchkeeper has converted this store (its number is ${number}; this version knows ${latest}): start the newer ` +
        'version, or go back to the copy that was made before the conversion (docs/upgrading.md).',
    )
  }
  if (number < firstNumber) {
    throw new StoreError(
      'permanent',
      `This store was written before version ${releaseOf(firstNumber, list)}, which is the first that can be upgraded: start the version ` +
        'that wrote it, or move the data folder away.',
    )
  }
  return Math.max(number, upTo)
}

async function rewrite(
  ground: Ground,
  migration: Migration,
  progress: Progress,
  { clock, tell }: Pick<MigrateOptions, 'clock' | 'tell'>,
): Promise<void> {
  let toldAt = clock.monotonic()
  let { after } = progress
  for (let read = 0; ; ) {
    const documents = await ground.page(migration.collection, after)
    const last = documents.at(-1)
    if (last === undefined) return
    after = String(last['id'])
    await ground.write(migration, documents, { ...progress, after })
    read += documents.length
    if (clock.monotonic() - toldAt < limits.store.migration.tellMs) continue
    toldAt = clock.monotonic()
    tell(`  ${read} documents so far`)
  }
}
