// Keepers while parts of the bus have no leader: which keepers continue or stop, when a rival takes over, and which work waits (ADR 24).
import t from 'tap'
import { pause } from '#shared/async/pause.ts'
import type { Bucket, Bus } from '#shared/bus/port.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import { limits, minute, second } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { HeardTime } from '#shared/time/heard-time.ts'
import { allEntries } from '../../support/check-entries.ts'
import { createWorld, type KeeperHandle, websiteMeta } from '../world.ts'

const oneOfEachPartition = Array.from({ length: limits.partitions }, (_, partition) => {
  for (;;) {
    const id = randomId(10)
    if (partitionOf(id) === partition) return id
  }
})

interface Scene {
  world: World
  keeper: KeeperHandle
}

type World = ReturnType<typeof createWorld>

async function holders(world: World): Promise<Record<string, string | null>> {
  const entries = await world.client.bucket('leases').list(keys.allLeases)
  return Object.fromEntries(entries.map(({ key, value }) => [key, (value as { holder: string | null }).holder]))
}

/** World with two keepers that each hold half of the partitions. `unansweredMs`: time after which a write of a lease that got no answer fails. */
async function twoKeepers(unansweredMs = 0) {
  const world = createWorld()
  const slowly = (bus: Bus): Bus => {
    const leases = bus.bucket('leases')
    const update = async (...written: Parameters<Bucket['update']>) =>
      leases.update(...written).catch(async error => {
        await pause(world.clock, bus.connected() ? unansweredMs : 0)
        throw error
      })
    return { ...bus, bucket: name => (name === 'leases' ? { ...leases, update } : bus.bucket(name)) }
  }
  const wrap = unansweredMs === 0 ? (bus: Bus) => bus : slowly
  const first = await world.startOne({ keeperId: 'first' }, wrap)
  const other = await world.startOne({ keeperId: 'second' }, wrap)
  await world.clock.advance(60 * second)
  return { world, first, other }
}

t.test('keepers keep their partitions and carry out commands while their leases have no leader for 18 s', async t => {
  const { world, first } = await twoKeepers()
  const id = await world.create()
  const before = await holders(world)
  world.hub.depose(['leases'])
  for (let passed = 0; passed < 18; passed++) {
    await world.clock.advance(second)
    const update = { kind: 'update-website', name: `Site ${passed}`, check: websiteMeta }
    t.match(await world.command(id, update as never), { ok: true })
  }
  t.strictSame(first.service.unready(), [], 'nothing was closed')
  world.hub.depose([])
  await world.clock.advance(20 * second)
  t.strictSame(await holders(world), before, 'nobody took over from anybody')
})

t.test('no partition moves in an election of 4 to 9 s, also if the dead server had the connection of a keeper', async t => {
  for (const electionMs of [4, 5.5, 7, 9].map(seconds => seconds * second))
    for (const phaseMs of [0, 1_000, 2_000, 2_900])
      for (const cutMs of [0, 600, 2_000, 3_000]) {
        const { world, first } = await twoKeepers(limits.bus.clustered.publishMs)
        const before = await holders(world)
        await world.clock.advance(phaseMs)
        world.hub.depose(['leases', 'presence'])
        if (cutMs > 0) world.hub.cut(first.bus)
        await world.clock.advance(cutMs)
        if (cutMs > 0) world.hub.restore(first.bus)
        const lost: string[] = []
        for (let passed = cutMs; passed < electionMs + 3 * second; passed += 250) {
          if (passed >= electionMs) world.hub.depose([])
          await world.clock.advance(250)
          lost.push(...first.service.unready())
        }
        await world.clock.advance(10 * second)
        const about = `election ${electionMs} ms, ${phaseMs} ms into the cycle, cut off ${cutMs} ms`
        t.strictSame([lost, await holders(world)], [[], before], about)
      }
})

t.test('keeper stops 30 s after its last renewal when the bus does not respond', async t => {
  const { world, first } = await twoKeepers()
  world.hub.depose(['leases'])
  await world.clock.advance(limits.keeper.leaseUnansweredMs + 2 * second)
  t.match(first.service.unready(), ['the keeper holds no partitions yet'])
  world.hub.depose([])
  await world.clock.advance(2 * second)
  t.strictSame(first.service.unready(), [], 'its leases are still its own: it takes them back at once')
})

t.test('partitions of a dead keeper are taken within 10 s', async t => {
  for (const phaseMs of [0, 700, 1_400, 2_100, 2_900]) {
    const { world, first } = await twoKeepers()
    await world.clock.advance(phaseMs)
    world.hub.cut(first.bus)
    let tookMs = 0
    while (Object.values(await holders(world)).includes('first') && tookMs < 20 * second) {
      await world.clock.advance(100)
      tookMs += 100
    }
    t.ok(tookMs <= 10 * second, `died ${phaseMs} ms into the cycle: all taken after ${tookMs} ms`)
    t.ok(tookMs >= 4 * second, 'not while it may still be alive')
  }
})

t.test('leases of a dead keeper stay while their bucket has no leader', async t => {
  const { world, first } = await twoKeepers()
  world.hub.cut(first.bus)
  await world.clock.advance(3 * second)
  world.hub.depose(['leases'])
  await world.clock.advance(9 * second)
  world.hub.depose([])
  await world.clock.advance(2 * second)
  t.ok(Object.values(await holders(world)).includes('first'), 'a holder that lives gets the time to renew')
  await world.clock.advance(2 * second)
  t.notOk(Object.values(await holders(world)).includes('first'), 'taken when the holder has not used that time')
})

t.test('keeper takes back its own partitions at once after an outage of the whole bus', async t => {
  const { world, first, other } = await twoKeepers()
  const before = await holders(world)
  for (const { bus } of [first, other]) world.hub.cut(bus)
  await world.clock.advance(20 * second)
  t.match(first.service.unready(), ['the keeper holds no partitions yet'], 'a keeper that is cut off stops')
  for (const { bus } of [first, other]) world.hub.restore(bus)
  await world.clock.advance(2 * second)
  t.strictSame(await holders(world), before)
  t.strictSame([first.service.unready(), other.service.unready()], [[], []])
})

t.test('keeper gives up no partition while the bucket of leases has no leader', async t => {
  const world = createWorld()
  await world.startOne({ keeperId: 'first' })
  await world.startOne({ keeperId: 'second' })
  await world.clock.advance(limits.keeper.leaseRenewMs + second)
  world.hub.depose(['leases'])
  // A hand-over that began before the outage is allowed to fail.
  await world.clock.advance(limits.keeper.leaseGapMs + 2 * second)
  const answering = async () => {
    let count = 0
    for (const id of oneOfEachPartition) {
      const asking = world.client.request(subjects.command(id), {}, { timeoutMs: second }).then(
        () => count++,
        () => count,
      )
      await world.clock.advance(1)
      await asking
    }
    return count
  }
  const before = await answering()
  await world.clock.advance(10 * second)
  t.equal(await answering(), before, 'every partition is where it was')
})

t.test('commands get replies while check entries have no leader, and probers get the newest entry later', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const answered = async (id: string, command: object) => {
    const asked = world.client.request(subjects.command(id), { id: randomId(8), ...command }, { timeoutMs: 4 * second })
    const reply = asked.catch((error: Error) => error.message)
    await world.clock.advance(5 * second)
    return reply
  }
  const kept = await world.create()
  world.hub.depose(['checks', 'check-pages'])
  const [made, gone] = [randomId(10), randomId(10)]
  const identity = { workspaceId: 'w', name: 'Site', check: websiteMeta }
  for (const id of [made, gone])
    t.match(await answered(id, { kind: 'create-website', slug: `s-${id}`, ...identity }), { ok: true }, 'created')
  t.match(await answered(made, { kind: 'update-website', name: 'Site', check: { ...websiteMeta, url: 'https://b.org/' } }), {
    ok: true,
  })
  t.match(await answered(gone, { kind: 'delete-subject' }), { ok: true }, 'deleted')
  t.match(await answered(kept, { kind: 'update-website', name: 'Other', check: websiteMeta }), { ok: true }, 'renamed')
  world.hub.depose([])
  await world.clock.advance(limits.keeper.retryMsMax + limits.keeper.outboxMs + second)
  const entries = [...(await allEntries(world.client))] as unknown as [string, { url: string }][]
  t.strictSame(Object.fromEntries(entries.map(([key, { url }]) => [key, url])), {
    [keys.check('aaaa', kept)]: websiteMeta.url,
    [keys.check('aaaa', made)]: 'https://b.org/',
  })
  for (const id of [kept, made, gone]) t.equal((await world.subject(id))?.hasOutbox, 0, 'nothing is owed any more')
})

t.test('deadline waits for reports that could not be read or sent yet', async t => {
  for (const [what, begin, end] of [
    [
      'the feed is deaf',
      ({ world, keeper }: Scene) => world.hub.deafen(keeper.bus, () => true),
      ({ world, keeper }: Scene) => world.hub.deafen(keeper.bus, () => false),
    ],
    [
      'the stream has no leader',
      ({ world }: Scene) => world.hub.depose(['observations']),
      ({ world }: Scene) => world.hub.depose([]),
    ],
  ] as const) {
    const world = createWorld()
    const keeper = await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.clock.advance(minute)
    await world.report(id, false)
    // The hold of this incident is over in 2 s.
    await world.clock.advance(2 * minute - 4 * second)
    begin({ world, keeper })
    await world.clock.advance(2 * second)
    const slotAt = world.clock.now()
    const sendAgain = async (): Promise<void> => {
      const sent = world.report(id, true, { slotAt, ageMs: world.clock.now() - slotAt }, 'aaaa', 0)
      if (
        await sent.then(
          () => true,
          () => false,
        )
      )
        return
      world.clock.schedule(limits.report.retryMsMax, () => void sendAgain())
    }
    void sendAgain()
    await world.clock.advance(9 * second)
    t.strictSame(await world.alerts(id), [], `${what}: nobody is told meanwhile`)
    end({ world, keeper })
    await world.clock.advance(minute)
    await world.report(id, true, { slotAt: world.clock.now() })
    await world.clock.advance(2 * minute)
    t.strictSame(await world.alerts(id), [], `${what}: nobody is told at all`)
    await world.report(id, false, { slotAt: world.clock.now() })
    await world.clock.advance(2 * minute + second)
    t.equal((await world.alerts(id)).length, 1, 'deadlines pass again')
  }
})

t.test('keeper responds to commands after a reconnect before the stream has a leader', async t => {
  const world = createWorld()
  const { bus } = await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.clock.advance(10 * second)
  world.hub.cut(bus)
  world.hub.depose(['observations', 'checks', 'leases', 'presence'])
  await world.clock.advance(second)
  world.hub.restore(bus)
  await world.clock.advance(100)
  t.match(await world.command(id, { kind: 'update-website', name: 'Other', check: websiteMeta } as never), { ok: true })
})

t.test('input is not silent while the stream has no leader, and is silent when no report follows afterwards', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const quick = { interval_value: 5, interval_unit: 'SECOND' as const, confirm_after: 1 }
  const [heard, silent] = [await world.create(quick), await world.create(quick)]
  const live = async (ids: string[], ms: number) => {
    for (let passed = 0; passed < ms; passed += 5 * second) {
      for (const id of ids) await world.report(id, true, { slotAt: world.clock.now() }).catch(() => undefined)
      await world.clock.advance(5 * second)
    }
  }
  await live([heard, silent], 60 * second)
  world.hub.depose(['observations'])
  await live([heard, silent], 15 * second)
  world.hub.depose([])
  await live([heard], 10 * second)
  t.strictSame(await Promise.all([heard, silent].map(id => world.alerts(id))), [[], []], 'not while it may still be on its way')
  await live([heard], 20 * second)
  t.strictSame(await world.alerts(heard), [])
  t.match(await world.alerts(silent), [{ kind: 'no_data' }])
})

t.test('time counts as heard only between signs of life that follow each other closely', async t => {
  let now = 0
  const heard = new HeardTime(() => now, 100)
  t.equal(heard.now(), 0)
  for (const at of [1_000, 1_100, 1_150]) {
    now = at
    heard.sign()
  }
  t.equal(heard.now(), 150)
  now = 1_251
  t.equal(heard.now(), 150, 'up to the newest sign')
  heard.sign()
  t.equal(heard.now(), 150, 'what lies between signs too far apart does not count')
  now = 1_300
  heard.sign()
  t.equal(heard.now(), 199)
  t.equal(heard.sinceGapMs(), 49)
  now = 1_401
  t.equal(heard.sinceGapMs(), 0, 'a gap is under way')
})
