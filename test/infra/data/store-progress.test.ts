// Progress of a shared store on the bus, and the comparison of both at a start.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { createLogger } from '#shared/observability/logger.ts'
import type { Collections } from '#shared/store/collections.ts'
import { lossByBus } from '../../../infra/runtime/data/data-loss.ts'
import { checkpointsWritten, createSharedProgress } from '../../../infra/runtime/data/store-progress.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'

const id = 'installation'
const checkpoint = (partition: number, rev: number): Collections['checkpoints'] => ({
  id: keys.lease(partition),
  rev,
  streamCreatedAt: 'then',
  sequence: rev,
  messageAt: 0,
  gaps: 0,
  writtenAt: 0,
  freshness: [],
})

function setUp() {
  const store = createMemoryStore()
  const bus = createMemoryHub({ clock: createVirtualClock() }).connect()
  const progress = () => createSharedProgress({ id, store, bus, logger: createLogger('silent') })
  const record = async () => (await bus.bucket('installation').get(keys.installation))?.value
  const write = (partition: number, rev: number) => store.upsert('checkpoints', [checkpoint(partition, rev)])
  return { store, bus, progress, record, write }
}

t.test('bus has the number of checkpoints that a process has read twice, and never a smaller one', async t => {
  const { progress, record, write, store } = setUp()
  await write(1, 5)
  await write(63, 2)
  t.equal(await checkpointsWritten(store), 7)
  const one = progress()
  await one.begin(null)
  t.same(await record(), { id, commits: null })
  await one.tell()
  t.same(await record(), { id, commits: null }, 'a first reading may be of a primary that loses it')
  await write(1, 9)
  await one.tell()
  t.same(await record(), { id, commits: 7 })
  const other = progress()
  await other.begin({ installationId: id, commits: 7 })
  t.same(await record(), { id, commits: 7 }, 'a start keeps it')
  await one.tell()
  t.same(await record(), { id, commits: 11 })
  await write(1, 1)
  for (const process of [one, other, one]) await process.tell()
  t.same(await record(), { id, commits: 11 }, 'a store that was set back does not lower it')
})

t.test('bus of an installation that was moved away keeps its record', async t => {
  const { progress, record, write, bus } = setUp()
  const late = progress()
  await late.begin(null)
  await write(1, 5)
  await late.tell()
  const fence = { id: 'an installation that was moved to x', commits: null }
  await bus.bucket('installation').put(keys.installation, fence)
  await late.tell()
  t.same(await record(), fence)
})

t.test('start refuses a shared store with fewer checkpoints than the bus knows of', async t => {
  const store = { name: 'The database', installationId: id, isShared: true as const }
  const known = { installationId: id, commits: 10 }
  t.equal(lossByBus({ ...store, commits: 10 }, known), null)
  t.equal(lossByBus({ ...store, commits: 9 }, { ...known, commits: null }), null)
  t.match(
    lossByBus({ ...store, commits: 9 }, known),
    /^The database was set back to an earlier state: its keepers have written 9 checkpoints there, and the bus knows of 10\. .*--accept-loss/,
  )
})
