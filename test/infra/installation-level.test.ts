// Level of an installation that several processes share: it is raised once, and every process hears of it.
import t from 'tap'
import { askToFinishUpgrade } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { earlierProcess } from '../../infra/cli/installation/finish-upgrade.ts'
import { followLevel } from '../../infra/runtime/data/installation-level.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'

const logger = createLogger('silent')

t.test('one process raises the level for all, and a second request changes nothing', async t => {
  const clock = createSystemClock()
  const hub = createMemoryHub({ clock })
  let raised = 0
  const raise = async () => {
    raised++
    return 4
  }
  const follow = () => followLevel({ bus: hub.connect(), clock, logger, number: 3, raise })
  const processes = [await follow(), await follow()]
  t.teardown(async () => {
    for (const { stop } of processes) await stop()
    clock.stop()
  })
  const heard = processes.map(({ level }) => new Promise<number>(resolve => level.onRaise(resolve)))
  t.strictSame(await askToFinishUpgrade(hub.connect()), { was: 3, number: 4 })
  t.strictSame(await Promise.all(heard), [4, 4])
  t.strictSame(await askToFinishUpgrade(hub.connect()), { was: 4, number: 4 })
  t.equal(raised, 2)
  const late = await follow()
  processes.push(late)
  t.equal(late.level.number(), 4, 'a later process learns it from the bus')
})

for (const [title, entry, names] of [
  ['a keeper of this version', { key: keys.keeperPresence('new'), value: { held: 1, knows: latestNumber(migrations) } }, []],
  ['a keeper of an earlier version', { key: keys.keeperPresence('old'), value: { held: 1 } }, ['the keeper old']],
  [
    'a gateway of an earlier version',
    { key: keys.gatewayPresence('old'), value: { untrustedProxy: '10.0.0.1' } },
    ['the gateway old'],
  ],
  ['a directory of an earlier version', { key: keys.directoryPresence('old'), value: { knows: 1 } }, ['the directory old']],
  ['a notifier of an earlier version', { key: keys.notifierPresence('old'), value: {} }, ['the notifier old']],
  ['a prober of an earlier version', { key: keys.proberPresence('l1', 'old'), value: { version: '2.0.0' } }, ['the prober old']],
] as const) {
  t.test(`an upgrade is finished only when no earlier version runs: ${title}`, async t => {
    t.strictSame(earlierProcess(entry), names)
  })
}

t.test('without a process that shares its store, nothing can be raised', async t => {
  const clock = createSystemClock()
  const hub = createMemoryHub({ clock })
  t.teardown(() => clock.stop())
  await t.rejects(askToFinishUpgrade(hub.connect()), { code: 'not_found' })
})
