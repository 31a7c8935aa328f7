// The migrations of the store, and the number that they give it. A migration is a file `NNNN-<what>.ts` in this folder and a line in the
// list. A released migration never changes, and none is removed. Not needed for a new collection or index, which a start creates, nor for
// an optional member of a document whose absence has a meaning.
import { flatFormsMigration } from '#shared/store/migrations/0004-flat-forms.ts'
import { messagesByMonitorMigration } from '#shared/store/migrations/0005-messages-by-monitor.ts'
import type { Migration } from '#shared/store/migrations/migration.ts'

/** Number of a store that version 2.0.0 wrote. Its SQLite file has this number, as its layout; its MongoDB has none. */
export const firstNumber = 3
const firstRelease = '2.0.0'

export const migrations: readonly Migration[] = [flatFormsMigration, messagesByMonitorMigration]

export const latestNumber = (list: readonly Migration[]): number => firstNumber + list.length

/** Returns the number to which the start of one of several processes migrates a store. */
export const numberAtStart = (list: readonly Migration[]): number =>
  (list.find(({ isHeld }) => isHeld)?.number ?? latestNumber(list) + 1) - 1

/** Returns the release that left a store with this number. */
export const releaseOf = (number: number, list: readonly Migration[]): string =>
  list[number - firstNumber - 1]?.release ?? firstRelease
