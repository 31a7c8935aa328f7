// A program for the tests of migrations. Migrates the store that the first argument names (an SQLite file, or the address of a MongoDB).
// Kills itself (SIGKILL) at the point that the second argument names: `content`, `copied`, or the number of a change; `never`: not at all.
import { randomBytes } from 'node:crypto'
import { migrateMongodb } from '#shared/store/mongodb/mongodb-migrate.ts'
import { migrateSqliteFile } from '#shared/store/sqlite/sqlite-migrate.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { twoMigrations } from './two-migrations.ts'

const [, , store = '', point = ''] = process.argv
const at = (here: string) => {
  if (here === point) process.kill(process.pid, 'SIGKILL')
}
const clock = createSystemClock({ onDrift: () => undefined })
const run = store.startsWith('mongodb://') ? migrateMongodb : migrateSqliteFile
try {
  await run(store, {
    clock,
    tell: sentence => {
      process.stdout.write(`${sentence}\n`)
      if (sentence.startsWith('Its copy')) at('copied')
    },
    content: async () => {
      at('content')
      return { installationId: randomBytes(8).toString('hex'), at: clock.now(), files: {} }
    },
    list: twoMigrations(call => at(String(call))),
  })
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
clock.stop()
