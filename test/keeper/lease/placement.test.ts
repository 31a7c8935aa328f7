// Placement of partitions: leases that keepers take, hold, give up and lose, on the memory bus with a clock that the test moves.
import { pino } from 'pino'
import t from 'tap'
import type { BucketName } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { holdLeases } from '../../../services/keeper/lease/leases.ts'
import { createWorld, minute } from '../world.ts'

const second = 1_000

/** A world whose store can be cut off from each of its keepers. `cut` takes the number of a keeper, in the order of their start. */
function createCuttable() {
  const away = new Set<number>()
  let started = 0
  const world = createWorld(store => {
    const number = started++
    const answer =
      (method: (...given: unknown[]) => Promise<unknown>) =>
      async (...given: unknown[]) => {
        if (away.has(number)) throw new StoreError('unavailable', 'The store is cut off.')
        return method(...given)
      }
    return Object.fromEntries(
      Object.entries(store).map(([name, method]) => [name, typeof method === 'function' ? answer(method as never) : method]),
    ) as unknown as Store
  })
  return { world, cut: (number: number) => void away.add(number), restore: () => away.clear() }
}

t.test('placement', async t => {
  t.test('keeper takes all leases at once when it alone has the data folder', async t => {
    const world = createWorld()
    const { service } = await world.startOne({ exclusive: true })
    t.strictSame(service.unready(), [])
    t.equal((await world.client.bucket('leases').list(keys.allLeases)).length, 64)
  })

  t.test('rival takes a lease whose revision is unchanged for 8 s, and continues the work of its holder', async t => {
    const world = createWorld()
    const dead = await world.startOne({ keeperId: 'dead' })
    const id = await world.create()
    await world.report(id, false)
    world.hub.cut(dead.bus)
    const rival = await world.startOne({ keeperId: 'rival' })
    await world.clock.advance(7.5 * second)
    t.equal(holders(await world.client.bucket('leases').list(keys.allLeases)).get('dead'), 64, 'not before')
    await world.clock.advance(2 * second)
    t.equal(holders(await world.client.bucket('leases').list(keys.allLeases)).get('rival'), 64)
    t.strictSame(rival.service.unready(), [])
    await world.report(id, false, { slotAt: world.clock.now() })
    await world.clock.advance(3 * minute)
    t.strictSame(
      (await world.alerts(id)).map(alert => alert.kind),
      ['problem'],
    )
    t.equal((await world.incidents(id)).length, 1)
  })

  t.test(
    'keeper that has lost the store gives its partitions to one that has it, and gets its share back afterwards',
    async t => {
      const { world, cut, restore } = createCuttable()
      await world.startOne({ keeperId: 'cut' })
      await world.startOne({ keeperId: 'other' })
      const leases = async () => holders(await world.client.bucket('leases').list(keys.allLeases))
      await world.clock.advance(60 * second)
      t.equal((await leases()).get('cut'), 32)
      cut(0)
      await world.clock.advance(10 * second)
      t.equal((await leases()).get('other'), 64)
      for (let created = 0; created < 5; created++) await world.create()
      await world.clock.advance(30 * second)
      t.equal((await leases()).get('other'), 64, 'nothing is given to a keeper without a store')
      restore()
      await world.clock.advance(60 * second)
      t.equal((await leases()).get('cut'), 32)
    },
  )

  t.test('keepers keep their partitions while the store is away for all of them', async t => {
    const { world, cut, restore } = createCuttable()
    await world.startOne({ keeperId: 'one' })
    await world.startOne({ keeperId: 'two' })
    await world.clock.advance(60 * second)
    const leases = async () => holders(await world.client.bucket('leases').list(keys.allLeases))
    const before = await leases()
    cut(0)
    await world.clock.advance(0.9 * second)
    cut(1)
    await world.clock.advance(30 * second)
    t.strictSame(await leases(), before)
    restore()
    await world.clock.advance(10 * second)
    t.strictSame(await leases(), before)
    t.notMatch(world.logged, ['partition lost'])
  })

  t.test('log says `taken` when another keeper has the lease, and `lost` when the bus lost the lease', async t => {
    for (const [found, said] of [
      [null, 'the bus has lost the lease'],
      [{ key: 'lease', revision: 9, at: 0, value: { holder: 'rival' } }, 'another keeper took the lease'],
    ] as const) {
      const world = createWorld()
      const leases = world.client.bucket('leases')
      const reasons = new Set<string>()
      let refuses = false
      const refusing = {
        ...leases,
        update: async (...written: Parameters<typeof leases.update>) => (refuses ? null : leases.update(...written)),
        get: async () => found,
      }
      const bus = { ...world.client, bucket: (name: BucketName) => (name === 'leases' ? refusing : world.client.bucket(name)) }
      const holding = holdLeases({
        bus,
        clock: world.clock,
        logger: pino({ level: 'silent' }),
        keeperId: 'one',
        exclusive: true,
        mayStart: () => undefined,
        onAcquired: () => undefined,
        storeSilentMs: () => 0,
        notesOf: () => null,
        handOver: async () => undefined,
        onLost: (_partition, reason) => reasons.add(reason),
      })
      await world.clock.advance(2 * second)
      const held = await holding
      t.equal(held.held().length, 64)
      refuses = true
      await world.clock.advance(limits.keeper.leaseRenewMs)
      t.strictSame([...reasons], [said])
      t.strictSame(held.held(), [])
    }
  })

  t.test('keeper without a bus tries to take no lease until the bus is back', async t => {
    const world = createWorld()
    const leases = world.client.bucket('leases')
    let isConnected = true
    let writes = 0
    const counted = {
      ...leases,
      update: async (...written: Parameters<typeof leases.update>) => {
        writes++
        return isConnected ? leases.update(...written) : null
      },
    }
    const bus = {
      ...world.client,
      connected: () => isConnected,
      bucket: (name: BucketName) => (name === 'leases' ? counted : world.client.bucket(name)),
    }
    const holding = holdLeases({
      bus,
      clock: world.clock,
      logger: pino({ level: 'silent' }),
      keeperId: 'one',
      exclusive: true,
      mayStart: () => undefined,
      onAcquired: () => undefined,
      storeSilentMs: () => 0,
      notesOf: () => null,
      handOver: async () => undefined,
      onLost: () => undefined,
    })
    await world.clock.advance(2 * second)
    const held = await holding
    isConnected = false
    await world.clock.advance(limits.keeper.leaseGiveUpMs)
    t.strictSame(held.held(), [], 'every lease is lost')
    writes = 0
    await world.clock.advance(minute)
    t.equal(writes, 0)
    isConnected = true
    await world.clock.advance(2 * second)
    t.equal(held.held().length, 64)
  })

  t.test('stopping keeper releases its partitions, which others take at once', async t => {
    const world = createWorld()
    const first = await world.startOne({ keeperId: 'first' })
    await world.startOne({ keeperId: 'second' })
    await Promise.all([first.service.stop(), world.clock.advance(100)])
    t.equal(holders(await world.client.bucket('leases').list(keys.allLeases)).get('second'), 64)
  })

  t.test(
    'once presence is stable a keeper gives up a part of its surplus each second, to a live keeper with at least two fewer',
    async t => {
      const world = createWorld()
      await world.startOne({ keeperId: 'first' })
      await world.startOne({ keeperId: 'second' })
      await world.clock.advance(10 * second)
      const early = holders(await world.client.bucket('leases').list(keys.allLeases)).get('second') ?? 0
      t.ok(early > 0 && early <= 16, `few a second: ${early} after 10 s`)
      await world.clock.advance(60 * second)
      const shares = holders(await world.client.bucket('leases').list(keys.allLeases))
      t.ok(
        Math.abs((shares.get('first') ?? 0) - (shares.get('second') ?? 0)) <= 2,
        `${shares.get('first')} and ${shares.get('second')}`,
      )
    },
  )

  t.test('partition that is given up goes to the keeper with the fewest partitions', async t => {
    const world = createWorld()
    for (const keeperId of ['first', 'second', 'third']) await world.startOne({ keeperId })
    await world.clock.advance(2 * minute)
    let given = 0
    const onEntry = ({ value }: { value: unknown }) => {
      if ((value as { successor?: string }).successor !== undefined) given++
    }
    const leases = world.client.bucket('leases')
    await world.startOne({ keeperId: 'fourth' })
    const watching = await leases.watch(keys.allLeases, { onEntry })
    await world.clock.advance(minute)
    t.strictSame([...holders(await leases.list(keys.allLeases)).values()].sort(), [16, 16, 16, 16])
    t.equal(given, 16, 'no partition moves twice')
    await watching.close()
  })

  t.test('released partition goes to another keeper when the intended successor does not take it', async t => {
    const world = createWorld()
    await world.startOne({ keeperId: 'first' })
    await world.startOne({ keeperId: 'second' })
    await world.clock.advance(2 * minute)
    const leases = world.client.bucket('leases')
    for (const _ of Array.from({ length: 4 })) {
      await world.client.bucket('presence').put(keys.keeperPresence('ghost'), { held: 0 })
      await world.clock.advance(2 * second)
    }
    const free = (await leases.list(keys.allLeases)).filter(
      ({ value }) => (value as { successor?: string }).successor === 'ghost',
    ).length
    t.ok(free > 0, `${free} wait for the one that does not come`)
    await world.clock.advance(limits.presence.goneMs + limits.keeper.successorMs + second)
    const held = holders(await leases.list(keys.allLeases))
    t.strictSame([held.get('first'), held.get('second')].sort(), [32, 32])
  })

  t.test('keeper has an empty outbox when it gives up a partition', async t => {
    const world = createWorld()
    const { service } = await world.startOne()
    const id = await world.create()
    t.equal((await world.subject(id))?.hasOutbox, 1)
    await Promise.all([service.stop(), world.clock.advance(100)])
    t.equal((await world.subject(id))?.hasOutbox, 0)
  })

  t.test('holder stops after 7 s without a renewal, and its commands go to the next holder', async t => {
    const world = createWorld()
    const lonely = await world.startOne({ keeperId: 'lonely' })
    const id = await world.create()
    await world.clock.advance(limits.keeper.outboxMs + second)
    world.hub.cut(lonely.bus)
    const before = await world.subject(id)
    await world.clock.advance(8 * second)
    t.match(lonely.service.unready(), ['the keeper holds no partitions yet'])
    t.strictSame(await world.subject(id), before, 'nothing written')
  })
})

function holders(entries: { value: unknown }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { value } of entries) {
    const holder = (value as { holder: string | null } | null)?.holder ?? 'nobody'
    counts.set(holder, (counts.get(holder) ?? 0) + 1)
  }
  return counts
}
