// Processes of the version before the store's number 4 and of this version, on one bus and one store: one after the other is replaced by this
// version, then by the version before, and by this version again. Then the upgrade is finished. Meanwhile websites fail and recover, senders
// report or fall silent, and every message is counted. The steps are those of docs/upgrading.md.
import t, { type Test } from 'tap'
import { second } from '#shared/limits/limits.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { live, type Outcome } from '../faults/life.ts'
import { shortPace } from '../faults/pace.ts'
import { setSingleStage } from '../faults/single-stage.ts'
import { temporaryFolder } from '../infra/run-program.ts'
import { Random } from '../simulation/random.ts'
import { checkOut, skipWithout, versionBefore } from './before.ts'
import { processes, setRollingStage } from './rolling-stage.ts'

const present = `${import.meta.dirname}/../..`
/** Approximate duration of the replacement of one process. */
const replacementMs = 6 * second

function compare(t: Test, { wrong, lost, repeated, missing, ...rest }: Outcome): void {
  t.strictSame({ wrong, lost, repeated, missing }, { wrong: [], lost: [], repeated: [], missing: [] })
  t.comment(JSON.stringify(rest))
}

const inRandomOrder = (random: Random) =>
  processes
    .map(services => ({ services, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ services }) => services)

t.test(
  'processes are replaced one by one, back, and again: nothing is lost, doubled or told falsely',
  { skip: skipWithout(versionBefore), timeout: 600_000 },
  async t => {
    const before = checkOut(temporaryFolder(t), versionBefore)
    const stage = await setRollingStage(before)
    if (stage === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    t.teardown(() => stage.stop())
    const random = new Random(Number(process.env['SEED'] ?? 1), 'rolling upgrade')
    const finish = () => stage.runCommand('cluster', 'finish-upgrade')
    const strike = async () => {
      for (const checkout of [present, before, present]) {
        for (const services of inRandomOrder(random))
          t.equal(await stage.replace(services, checkout), 0, `${services} ended cleanly`)
        if (checkout === before) await t.rejects(finish(), /An earlier version still runs/)
      }
      t.match(await finish(), `the level of the installation is ${latestNumber(migrations)}`)
      await t.rejects(stage.tryStart('keeper', before), /newer version of Watchkeeper has converted this store/)
      return { fault: 'replaced three times' }
    }
    const faultMs = 3 * processes.length * replacementMs
    const outcome = await live(stage, random, {
      ...{ pace: shortPace, noDataMs: 15 * second, faultMs, isChecked: true, isOff: false, strike },
    })
    compare(t, outcome)
    t.notMatch(stage.output(), /"level":"?(error|50)/, 'no process reports an error')
  },
)

t.test(
  'one process with SQLite is stopped and started as this version: nothing is lost, doubled or told falsely',
  { skip: skipWithout(versionBefore), timeout: 300_000 },
  async t => {
    const stage = await setSingleStage(checkOut(temporaryFolder(t), versionBefore))
    t.teardown(() => stage.stop())
    const strike = async () => {
      await stage.end('stopped')
      await stage.start(present)
      return { fault: 'started as this version' }
    }
    const outcome = await live(stage, new Random(1, 'upgrade of one process'), {
      ...{ pace: shortPace, noDataMs: 15 * second, faultMs: replacementMs, isChecked: false, isOff: true, strike },
    })
    compare(t, outcome)
    t.match(stage.output(), /The store is converted/)
  },
)
