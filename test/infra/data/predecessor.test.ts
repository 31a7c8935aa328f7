// Presence that killed processes have left on the bus: its removal, and what it says to their successor.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { nameInThread, removePresence } from '../../../infra/runtime/data/predecessor.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'

const world = async (...proberIds: string[]) => {
  const clock = createVirtualClock()
  const bus = createMemoryHub({ clock }).connect()
  const presence = bus.bucket('presence')
  for (const id of proberIds) await presence.put(keys.proberPresence('aaaa', id), {})
  return { clock, bus, left: async () => (await presence.list(keys.allProbers)).map(({ key }) => key) }
}

t.test('presence of the dead is removed and that of the living stays', async t => {
  const { clock, bus, left } = await world('dead', 'alive')
  t.strictSame(await removePresence(bus, ['dead']), { missedSince: clock.now(), wasInThread: false })
  t.strictSame(await left(), [keys.proberPresence('aaaa', 'alive')])
  t.strictSame(await removePresence(bus, ['dead']), { missedSince: null, wasInThread: false })
})

t.test('presence tells whether a dead prober ran in a thread', async t => {
  const { bus } = await world(nameInThread('dead'), nameInThread('alive'))
  t.equal((await removePresence(bus, ['dead'])).wasInThread, true)
  t.equal((await removePresence(bus, ['other'])).wasInThread, false)
})
