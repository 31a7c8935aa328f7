// Checkpoints of a partition: freshness and position in the stream, also when the stream is recreated.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { levelOf } from '#shared/store/level.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { openPartition } from '../../../services/keeper/partition/partition.ts'
import { gatherTakes } from '../../../services/keeper/round/gather.ts'
import { createWorld, minute } from '../world.ts'

const second = 1_000

t.test('checkpoint', async t => {
  t.test('checkpoints with freshness are written at most 10 s apart', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(minute)
    const before = await world.subject(id)
    const slotAt = world.clock.now()
    await world.report(id, true, { slotAt })
    t.equal((await world.subject(id))?.rev, before?.rev, 'a check that changes nothing needs no subject write')
    await world.clock.advance(10 * second)
    t.equal(await world.keptSlot(id), slotAt)
    t.equal((await world.subject(id))?.rev, before?.rev, 'nor does its freshness: the checkpoint holds that')
    const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
    t.equal(checkpoint?.sequence, 2)
  })

  t.test('successor knows the readings of the checkpoint, so that no input becomes silent by a take-over', async t => {
    const world = createWorld()
    const first = await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    for (let i = 0; i < 10; i++) {
      await world.clock.advance(minute)
      await world.report(id, true, { slotAt: world.clock.now() })
    }
    await world.clock.advance(11 * second)
    await Promise.all([first.service.stop(), world.clock.advance(100)])
    await world.hub.truncateStream(0)
    await world.startOne()
    await world.clock.advance(minute)
    t.strictSame(await world.incidents(id), [], 'the newest report is from a minute ago')
    await world.clock.advance(5 * minute)
    t.equal((await world.incidents(id))[0]?.condition, 'no_data', 'and real silence is counted from it')
    const troubleSince = (await world.incidents(id))[0]?.troubleSince ?? 0
    t.equal(troubleSince, ((await world.subject(id))?.readings['aaaa']?.at ?? 0) + 3 * minute + 1)
  })

  t.test('checkpoint keeps the readings of subjects that were never in memory', async t => {
    const world = createWorld()
    const first = await world.startOne({ exclusive: true })
    const id = await world.create()
    let beside = randomId(10)
    while (partitionOf(beside) !== partitionOf(id)) beside = randomId(10)
    await world.create({}, beside)
    await world.report(id, true)
    await world.clock.advance(30 * second)
    const slotAt = world.clock.now()
    await world.report(id, true, { slotAt })
    await first.service.stop()
    t.equal(await world.keptSlot(id), slotAt)
    await world.startOne({ exclusive: true })
    await world.clock.advance(20 * second)
    const besideAt = world.clock.now()
    await world.report(beside, true, { slotAt: besideAt })
    await world.clock.advance(11 * second)
    t.equal(await world.keptSlot(beside), besideAt, 'the checkpoint has moved')
    t.equal(await world.keptSlot(id), slotAt)
  })

  t.test('checkpoint never replaces newer readings of a document', async t => {
    const world = createWorld()
    const first = await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(minute)
    await world.report(id, true, { slotAt: world.clock.now() })
    await world.clock.advance(11 * second)
    const failedAt = world.clock.now()
    await world.report(id, false, { slotAt: failedAt })
    world.hub.cut(first.bus)
    await world.startOne()
    await world.clock.advance(20 * second)
    t.equal((await world.subject(id))?.readings['aaaa']?.ok, false)
    for (let i = 0; i < 2; i++) {
      await world.clock.advance(55 * second)
      await world.report(id, false, { slotAt: world.clock.now() })
    }
    await world.clock.advance(minute)
    t.equal((await world.incidents(id))[0]?.confirmedAt, failedAt + 2 * minute)
  })

  t.test('recreated stream counts as a gap even if its last sequence is beyond the checkpoint', async t => {
    const world = createWorld()
    const first = await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(11 * second)
    world.hub.cut(first.bus)
    world.hub.recreateStream()
    for (let i = 0; i < 3; i++) {
      await world.clock.advance(second)
      await world.report(id, false)
    }
    await world.startOne()
    await world.clock.advance(40 * second)
    t.equal((await world.incidents(id))[0]?.status, 'pending')
    const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
    t.equal(checkpoint?.gaps, 1)
  })

  t.test('oldest fresh readings are written into their documents when a checkpoint in the form of version 2.0.0 is full', t => {
    const partition = openPartition(0, { now: () => 0 })
    const over = 3
    for (let i = 0; i < limits.keeper.freshnessInCheckpoint + over; i++) partition.fresh.dirty.add(`s${i}`)
    partition.state = 'live'
    Object.assign(partition.position, { checkpointDueAt: 0, sequence: 1 })
    const context = { bus: { connected: () => true }, cache: { evict: () => [] }, mayCommit: () => true }
    const flushAt = (number: number) =>
      gatherTakes({ ...context, level: levelOf(number) } as never, [partition], 1, () => false)[0]?.flush
    t.strictSame(flushAt(flatForms - 1), ['s0', 's1', 's2'])
    t.strictSame(flushAt(flatForms), [], 'a checkpoint in parts has room for all')
    t.end()
  })

  t.test('reports since the checkpoint are stepped again after a crash and count once', async t => {
    const world = createWorld()
    const crashed = await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    world.hub.cut(crashed.bus)
    await world.startOne()
    await world.clock.advance(15 * second)
    t.equal((await world.subject(id))?.readings['aaaa']?.ok, true)
    t.equal(await world.store.count('observations', {}), 1)
  })

  t.test('holder counts a gap and continues to judge when the stream is recreated', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(11 * second)
    world.hub.recreateStream()
    await world.clock.advance(second)
    await world.report(id, false)
    await world.clock.advance(15 * second)
    t.equal((await world.incidents(id))[0]?.status, 'pending', 'it goes on judging')
    const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
    t.equal(checkpoint?.gaps, 1)
  })

  t.test('new holder reads a recreated stream from a minute before the checkpoint', async t => {
    const world = createWorld()
    const { bus } = await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(11 * second)
    world.hub.cut(bus)
    const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
    if (!checkpoint) throw new Error('no checkpoint')
    world.hub.recreateStream()
    await world.report(id, false)
    await world.store.upsert('checkpoints', [
      { ...checkpoint, rev: checkpoint.rev + 1, messageAt: world.clock.now() + 30 * second },
    ])
    await world.startOne()
    await world.clock.advance(30 * second)
    t.equal((await world.incidents(id))[0]?.status, 'pending')
  })
})
