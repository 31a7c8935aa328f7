// Notes on silence of an installation that moves: from its leases into the checkpoints of its new place.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import type { SilenceNotes } from '#shared/contracts/observations/silence.ts'
import { second } from '#shared/limits/limits.ts'
import { silenceLeft } from '../../../infra/move/silence-left.ts'
import { settle } from '../../../infra/move/target.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'

const silence: SilenceNotes = { pushed: { deafMs: 3 * second, leftMs: 9 * second, sinceOutageMs: 20 * second, heldAt: 17 } }
const own: SilenceNotes = { checks: { deafMs: 0, leftMs: second, sinceOutageMs: second, heldAt: 5 } }

const checkpoint = (partition: number, rev: number): CheckpointDocument => ({
  id: keys.lease(partition),
  rev,
  streamCreatedAt: 'old',
  sequence: 40,
  messageAt: 41,
  gaps: 2,
  freshness: [],
  writtenAt: 42,
  silence: own,
})

t.test('move takes the notes on silence along, also of partitions without a checkpoint', async t => {
  const clock = createVirtualClock()
  const [from, to] = [createMemoryHub({ clock }).connect(), createMemoryHub({ clock }).connect()]
  const store = createMemoryStore()
  await store.insert('checkpoints', [checkpoint(3, 7), checkpoint(5, 2)])
  const leases = from.bucket('leases')
  await leases.put(keys.lease(3), { holder: 'killed', silence })
  await leases.put(keys.lease(4), { holder: null })
  await leases.put(keys.lease(5), { holder: 'killed', silence: null })
  await leases.put(keys.lease(6), { holder: 'killed', silence, asOf: 17 })
  const leftAt = clock.now()
  await clock.advance(20 * second)
  const { createdAt } = await to.observations.state()
  for (let run = 0; run < 2; run++)
    await settle({ store, bus: to } as never, { installationId: 'one', incidentSalt: '', silence: await silenceLeft(from) })
  const [third, fourth, fifth, sixth, seventh] = await store.get('checkpoints', [3, 4, 5, 6, 7].map(keys.lease))
  const position = { streamCreatedAt: createdAt, sequence: 0, messageAt: 0 }
  t.strictSame(third, { ...checkpoint(3, 7), ...position, silence, writtenAt: leftAt })
  const made = { rev: 1, gaps: 0, freshness: [], ...position }
  t.strictSame(fourth, { id: keys.lease(4), ...made, silence: {}, writtenAt: leftAt }, 'reports were accepted up to this instant')
  t.strictSame(fifth, { ...checkpoint(5, 2), ...position }, 'the lease does not know, so the checkpoint keeps what it has')
  t.strictSame(sixth, { id: keys.lease(6), ...made, silence, writtenAt: 17 })
  t.equal(seventh, null)
})
