// Announcement of a directory on the bus, for who finishes an upgrade.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { earlierProcess } from '../../infra/cli/installation/finish-upgrade.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

async function start(hasPeers: boolean) {
  const clock = createVirtualClock()
  const hub = createMemoryHub({ clock })
  const logger = pino({ level: 'silent' })
  const context = { bus: hub.connect(), clock, store: createMemoryStore(), logger, metrics: new Registry() }
  const directory = await startDirectory(context, { hasPeers })
  const present = () => hub.connect().bucket('presence').list(keys.allPresent)
  return { clock, directory, present }
}

t.test('directory of a cluster announces itself and its version until it stops', async t => {
  const { clock, directory, present } = await start(true)
  await clock.advance(0)
  const [first, ...others] = await present()
  t.match(first?.key, /^directory\./)
  t.strictSame(others, [])
  t.strictSame(first && earlierProcess(first), [])
  await clock.advance(limits.presence.beatMs)
  const [second] = await present()
  t.ok((second?.at ?? 0) > (first?.at ?? 0), 'again at each beat')
  await directory.stop()
  t.strictSame(await present(), [])
})

t.test('directory that has no peers announces nothing', async t => {
  const { clock, directory, present } = await start(false)
  await clock.advance(limits.presence.beatMs)
  t.strictSame(await present(), [])
  await directory.stop()
})
