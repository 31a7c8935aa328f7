// From this number on, the installation writes the forms whose cost does not grow with the number of monitors: pages of check entries, reports
// by partition and location, checkpoints in parts (ADR 45, 49). Nothing stored changes at once; keepers write their partitions anew.
import type { Migration } from '#shared/store/migrations/migration.ts'

/** Number of the installation's level from which the flat forms are written. */
export const flatForms = 4

export const flatFormsMigration: Migration = {
  number: flatForms,
  release: '2.1.0',
  what: 'monitors get forms whose cost does not grow with their number',
  collection: 'checkpoints',
  isHeld: true,
}
