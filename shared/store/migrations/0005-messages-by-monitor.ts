// From this number on, every row of the delivery log names its monitor, so that the messages about a monitor are found by an index. Notifiers of
// this version write the name at once; those of earlier versions do not, so readers use it only from this number on.
import type { Migration, StoredDocument } from '#shared/store/migrations/migration.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'

/** Number of the installation's level from which all rows have `subjectId`. */
export const messagesByMonitor = 5

export const messagesByMonitorMigration: Migration = {
  number: messagesByMonitor,
  release: '2.1.0',
  what: 'each message of the log names its monitor',
  collection: 'deliveryLog',
  columns: ['subjectId'],
  change: row => (typeof row['subjectId'] === 'string' || typeof row['incidentId'] !== 'string' ? null : named(row)),
  isHeld: true,
}

const named = (row: StoredDocument): StoredDocument => ({ ...row, subjectId: subjectOfIncident(String(row['incidentId'])) })
