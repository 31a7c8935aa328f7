// What the program imports of the MongoDB adapter, over the shared store: the same names and types.
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import type { migrateMongodb as migrate } from '#shared/store/mongodb/mongodb-migrate.ts'
import { openSharedStore } from './client.ts'

export const openMongodbStore = openSharedStore

/** The file of a shared store is always new, so it is never migrated. */
export const migrateMongodb: typeof migrate = async (_url, { list = migrations }) => latestNumber(list)
