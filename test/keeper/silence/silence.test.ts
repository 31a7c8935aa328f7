// Silence during which no keeper could receive reports: an outage of the system itself leads to no message (ADR 22).
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import type { SilenceNote } from '#shared/contracts/observations/silence.ts'
import { hour, limits, second } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { hear, heedCheckpoint, notesOf, type Precedent, silenceAfter } from '../../../services/keeper/partition/silence.ts'
import { create, host, observe, publish } from '../resources/resource-world.ts'
import { createWorld, type KeeperHandle, minute } from '../world.ts'

type World = ReturnType<typeof createWorld>

/** Creates a heartbeat with one rule; resolves with the id of its subject. */
async function createHeart(world: World, rule: { noDataAfterMs: number; confirmAfterMs: number }): Promise<string> {
  const heart = 'heart00001'
  const command = (body: object) => world.command(heart, body as never)
  await command({ kind: 'create-subject', workspaceId: 'w', slug: 'heart', name: 'Heart' })
  await command({ kind: 'create-signal', name: 'Beat', signalKind: 'custom_heartbeat', meta: '{}', convert: false })
  const { noDataAfterMs, confirmAfterMs } = rule
  const input = { signal: 'beat', from: null, mode: 'status', compare: null, threshold: null, match: null, noDataAfterMs }
  const policy = { inputs: [input], need: 'any', atLeast: null, confirmAfterMs, closeAfterMs: minute }
  await command({ kind: 'create-rule', name: 'alive', policy, convert: false })
  return heart
}

/**
 * Creates a monitor that reported every minute until its keeper stopped, and a heartbeat that reported just before the stop and is due
 * every four minutes.
 */
async function startAndStop(world: World): Promise<{ site: string; heart: string; spokeAt: number }> {
  const keeper = await world.startOne({ exclusive: true })
  await world.clock.advance(30 * second)
  const site = await world.create()
  const heart = await createHeart(world, { noDataAfterMs: 4 * minute, confirmAfterMs: minute })
  let spokeAt = Number.NaN
  for (let reported = 0; reported < 3; reported++) {
    spokeAt = world.clock.now()
    await Promise.all([world.report(site, true), beat(world, heart)])
    await world.clock.advance(minute)
  }
  await stop(world, keeper)
  return { site, heart, spokeAt }
}

/** Time from a keeper's start until it notices that a gateway accepts reports, ms. Silence is held back longer by this time. */
const gatewayMs = 2 * limits.presence.beatMs + second

const stop = (world: World, keeper: KeeperHandle) => Promise.all([keeper.service.stop(), world.clock.advance(100)])

async function cutOff(world: World, { bus }: KeeperHandle): Promise<void> {
  world.hub.cut(bus)
  await world.clock.advance(second)
  world.hub.restore(bus)
}

async function beat(world: World, heart: string, status: 'ok' | 'problem' = 'ok'): Promise<void> {
  const report = { signal: 'beat', status, value: null, error: '', labels: {}, observedAtUs: world.clock.now() * 1_000 }
  const { ok } = await world.command(heart, { kind: 'report-observation', ...report } as never)
  if (!ok) throw new Error('the beat was not taken')
}

const told = async (world: World, ids: string[]) => (await Promise.all(ids.map(id => world.history(id)))).flat()

t.test('sender is not announced as silent if it reports within 7 minutes after an outage of 7 minutes', async t => {
  const world = createWorld()
  const { site, heart } = await startAndStop(world)
  await world.clock.advance(7 * minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(55 * second)
  await world.report(site, true)
  await world.clock.advance(minute)
  for (let reported = 0; reported < 10; reported++) {
    await Promise.all([world.report(site, true), beat(world, heart)])
    await world.clock.advance(minute)
  }
  t.strictSame(await told(world, [site, heart]), [])
})

t.test('silence is announced when it is no longer held back, and dates from the instant at which it began', async t => {
  const world = createWorld()
  const { site, heart, spokeAt } = await startAndStop(world)
  await world.clock.advance(7 * minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(7 * minute - second)
  t.strictSame(await told(world, [site, heart]), [])
  await world.clock.advance(second + gatewayMs)
  const [[ofSite], [ofHeart]] = [await world.incidents(site), await world.incidents(heart)]
  t.match(ofSite, { status: 'no_data', troubleSince: spokeAt + 3 * minute + 1 })
  t.match(ofHeart, { status: 'no_data', troubleSince: spokeAt + 4 * minute + 1 })
})

t.test('silence is held back for at most an hour after a longer outage', async t => {
  const world = createWorld()
  const { site, heart } = await startAndStop(world)
  await world.clock.advance(10 * hour)
  await world.startOne({ exclusive: true })
  await world.clock.advance(hour - second)
  t.strictSame(await told(world, [site, heart]), [])
  await world.clock.advance(second + gatewayMs)
  t.match([(await world.incidents(site))[0], (await world.incidents(heart))[0]], [{ status: 'no_data' }, { status: 'no_data' }])
})

t.test('silence stays held back when a keeper starts a second time', async t => {
  const world = createWorld()
  const { site, heart } = await startAndStop(world)
  await world.clock.advance(7 * minute)
  const again = await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  await stop(world, again)
  await world.startOne({ exclusive: true })
  await world.clock.advance(5 * minute)
  t.strictSame(await told(world, [site, heart]), [])
  await world.clock.advance(minute + 3 * gatewayMs)
  t.match([(await world.incidents(site))[0], (await world.incidents(heart))[0]], [{ status: 'no_data' }, { status: 'no_data' }])
})

/** Instants in seconds after a sender's report. The sender reports every `everyS`, and would report next when the outages are over. */
const pairsOfOutages = [
  {
    title: 'second outage begins while silence is held back for the first',
    everyS: 25,
    noDataS: 54,
    outages: [
      [22, 28],
      [43, 52],
    ],
  },
  {
    title: 'second outage begins when silence is no longer held back for the first',
    everyS: 28,
    noDataS: 60,
    outages: [
      [23, 29],
      [51, 58],
    ],
  },
] as const

/** Ways to create a sender whose silence is confirmed at once; each resolves with the subject and the function that reports. */
const senders = {
  'heartbeat of generation 2': async (world: World, noDataS: number) => {
    const id = await createHeart(world, { noDataAfterMs: noDataS * second, confirmAfterMs: 0 })
    return { id, report: () => beat(world, id) }
  },
  Resource: async (world: World, noDataS: number) => {
    const [probe] = host.signals
    const [rule] = host.rules
    const signals = [{ ...probe, every_seconds: noDataS / 3 }]
    const rules = [{ ...rule, unknown: 'no_data', wait: { confirm_after: 0, recover_after: 0 } }]
    await publish(world, readManifest({ ...host, signals, rules }, { systemKeys: new Set(), destinations: [] }))
    const { id } = await create(world)
    return { id, report: () => observe(world, id, { signal: 'probe' }) }
  },
}

for (const { title, everyS, noDataS, outages } of pairsOfOutages)
  for (const [kind, createSender] of Object.entries(senders))
    t.test(`${kind} that lost one report in each of two outages is not announced as silent: ${title}`, async t => {
      const world = createWorld()
      let keeper = await world.startOne({ exclusive: true })
      await world.clock.advance(30 * second)
      const { id, report } = await createSender(world, noDataS)
      const spokeAt = world.clock.now()
      const until = (s: number) => world.clock.advance(spokeAt + s * second - world.clock.now())
      await report()
      for (const [from, to] of outages) {
        await until(from)
        await stop(world, keeper)
        await until(to)
        keeper = await world.startOne({ exclusive: true })
      }
      await until(3 * everyS)
      t.strictSame(await told(world, [id]), [])
      await report()
      await until(3 * everyS + noDataS - 1)
      t.strictSame(await told(world, [id]), [])
      await until(3 * everyS + noDataS + 1)
      t.match(await world.incidents(id), [{ open: 1 }], 'a sender that is silent is announced')
    })

t.test('sender that reported between two outages is announced as if there had been one', async t => {
  const world = createWorld()
  const keeper = await world.startOne({ exclusive: true })
  await world.clock.advance(30 * second)
  const heart = await createHeart(world, { noDataAfterMs: 30 * second, confirmAfterMs: 0 })
  await beat(world, heart)
  await stop(world, keeper)
  await world.clock.advance(6 * second)
  const again = await world.startOne({ exclusive: true })
  await world.clock.advance(20 * second)
  await beat(world, heart)
  await world.clock.advance(10 * second)
  await stop(world, again)
  await world.clock.advance(7 * second)
  await world.startOne({ exclusive: true })
  await world.clock.advance(14 * second)
  t.strictSame(await told(world, [heart]), [])
  await world.clock.advance(second + gatewayMs)
  t.match(await world.incidents(heart), [{ status: 'no_data' }])
})

t.test(
  'sender whose interval is too short to have lost a report in each of two outages is announced after the second',
  async t => {
    const world = createWorld()
    const keeper = await world.startOne({ exclusive: true })
    await world.clock.advance(30 * second)
    const heart = await createHeart(world, { noDataAfterMs: 40 * second, confirmAfterMs: 0 })
    await beat(world, heart)
    await world.clock.advance(2 * second)
    await stop(world, keeper)
    await world.clock.advance(6 * second)
    const again = await world.startOne({ exclusive: true })
    await world.clock.advance(22 * second)
    await stop(world, again)
    await world.clock.advance(7 * second)
    await world.startOne({ exclusive: true })
    await world.clock.advance(14 * second)
    t.strictSame(await told(world, [heart]), [])
    await world.clock.advance(second + gatewayMs)
    t.match(await world.incidents(heart), [{ status: 'no_data' }])
  },
)

t.test('outage that begins more than a minute after an earlier one is not joined with it', async t => {
  const world = createWorld()
  const keeper = await world.startOne({ exclusive: true })
  const heart = await createHeart(world, { noDataAfterMs: 2 * minute, confirmAfterMs: 0 })
  await stop(world, keeper)
  await world.clock.advance(6 * second)
  const again = await world.startOne({ exclusive: true })
  await world.clock.advance(20 * second)
  const spokeAt = world.clock.now()
  await beat(world, heart)
  await world.clock.advance(90 * second)
  await stop(world, again)
  await world.clock.advance(29 * second)
  await world.startOne({ exclusive: true })
  await world.clock.advance(spokeAt + 2 * minute + 25 * second - world.clock.now())
  t.strictSame(await told(world, [heart]), [])
  await world.clock.advance(15 * second)
  t.match(await world.incidents(heart), [{ status: 'no_data', troubleSince: spokeAt + 2 * minute + 1 }])
})

t.test('time in which a keeper runs without anybody who could report counts as an outage', async t => {
  const world = createWorld()
  const { site, heart } = await startAndStop(world)
  await world.clock.advance(minute)
  const reader = await world.startOne({ exclusive: true, hasSenders: false })
  await world.clock.advance(6 * minute)
  await stop(world, reader)
  await world.startOne({ exclusive: true })
  await world.clock.advance(7 * minute - second)
  t.strictSame(await told(world, [site, heart]), [])
  await world.clock.advance(second + gatewayMs)
  t.match([(await world.incidents(site))[0], (await world.incidents(heart))[0]], [{ status: 'no_data' }, { status: 'no_data' }])
})

t.test('silence stays held back when a stream is read again', async t => {
  const world = createWorld()
  const { site, heart } = await startAndStop(world)
  await world.clock.advance(7 * minute)
  const keeper = await world.startOne({ exclusive: true })
  await cutOff(world, keeper)
  await world.clock.advance(6 * minute)
  t.strictSame(await told(world, [site, heart]), [])
})

t.test('silence that is no longer held back is not held back again when a stream is read again', async t => {
  const world = createWorld()
  const { site } = await startAndStop(world)
  await world.clock.advance(7 * minute)
  const keeper = await world.startOne({ exclusive: true })
  let spokeAt = Number.NaN
  for (let reported = 0; reported < 8; reported++) {
    spokeAt = world.clock.now()
    await world.report(site, true)
    await world.clock.advance(minute)
  }
  await cutOff(world, keeper)
  await world.clock.advance(spokeAt + 3 * minute + second - world.clock.now())
  t.match(await world.incidents(site), [{ status: 'pending', troubleSince: spokeAt + 3 * minute + 1 }])
})

/**
 * A heartbeat reports a problem, which is notified. An outage of half an hour follows. One minute after the outage there is one beat. The
 * function returns when nine minutes have passed since this beat. Two rules, of which one reads the other, have the same verdict and need
 * six minutes of ok to recover.
 */
async function recoverInHold(world: World): Promise<{ heart: string; beatAt: number }> {
  const { heart } = await startAndStop(world)
  const before = await world.startOne({ exclusive: true })
  await world.clock.advance(20 * second)
  const citing = { signal: null, from: 'alive', mode: null, compare: null, threshold: null, match: null, noDataAfterMs: null }
  const alive = { ...citing, signal: 'beat', from: null, mode: 'status', noDataAfterMs: 4 * minute }
  const holds = { need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 6 * minute }
  const rule = async (kind: string, name: string, input: object) => {
    const { ok } = await world.command(heart, { kind, rule: 'alive', name, policy: { ...holds, inputs: [input] } } as never)
    if (!ok) throw new Error('the rule was not taken')
  }
  await rule('replace-rule', 'alive', alive)
  await world.command(heart, {
    kind: 'create-rule',
    name: 'well',
    policy: { ...holds, inputs: [citing] },
    convert: false,
  } as never)
  await beat(world, heart, 'problem')
  await stop(world, before)
  await world.clock.advance(30 * minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  const beatAt = world.clock.now()
  await beat(world, heart)
  await world.clock.advance(9 * minute)
  return { heart, beatAt }
}

const kindsTold = async (world: World, id: string) => (await world.alerts(id)).map(({ kind }) => kind).sort()

t.test(
  'incident that was ok only because silence is held back recovers as of its first ok when its input reports again',
  async t => {
    const world = createWorld()
    const { heart, beatAt } = await recoverInHold(world)
    t.strictSame(await kindsTold(world, heart), ['problem', 'problem'], 'six minutes of ok were over, four of them heard')
    t.match((await world.subject(heart))?.rules, [{ verdict: { verdict: 'ok' } }, { verdict: { verdict: 'ok' } }])
    await beat(world, heart)
    t.strictSame(await kindsTold(world, heart), ['problem', 'problem', 'recovery', 'recovery'])
    t.match(await world.incidents(heart), [{ closedAt: beatAt }, { closedAt: beatAt }])
  },
)

t.test('monitor that is ok only because silence is held back does not recover yet', async t => {
  const world = createWorld()
  const before = await world.startOne({ exclusive: true })
  const site = await world.create({ confirm_after: 0, recover_after: 360 })
  await world.report(site, false)
  await stop(world, before)
  await world.clock.advance(30 * minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  await world.report(site, true)
  await world.clock.advance(9 * minute)
  t.strictSame(await kindsTold(world, site), ['problem'])
  await world.report(site, true)
  t.strictSame(await kindsTold(world, site), ['problem', 'recovery'])
})

t.test('when silence counts again, an incident becomes no data if it was ok only because silence did not count', async t => {
  const world = createWorld()
  const { heart } = await recoverInHold(world)
  await world.clock.advance(21 * minute)
  t.match(await world.incidents(heart), [
    { status: 'no_data', closedAt: null },
    { status: 'no_data', closedAt: null },
  ])
  t.strictSame(await kindsTold(world, heart), ['problem', 'problem'])
})

t.test('silence is held back after a take-over for as long as the recorded outage lasted', async t => {
  const at = { now: 100 * hour, monotonic: 50 * hour }
  const checkpoint: CheckpointDocument = {
    id: 'p',
    rev: 1,
    streamCreatedAt: '',
    sequence: 0,
    messageAt: 0,
    gaps: 0,
    freshness: [],
    writtenAt: at.now - 7 * minute,
  }
  const held: SilenceNote = { deafMs: 0, leftMs: 5 * minute, heldAt: at.now - 30 * minute }
  const begun: SilenceNote = { ...held, sinceOutageMs: 21 * minute }
  const soon: SilenceNote = { ...held, leftMs: 5 * second, sinceOutageMs: 40 * second }
  const deaf: SilenceNote = { deafMs: minute, leftMs: 0, heldAt: null }
  const vacant = (vacantMs: number, note?: SilenceNote) => ({ vacantMs, notes: note === undefined ? {} : { pushed: note } })
  const [never, ago] = [Number.NEGATIVE_INFINITY, checkpoint.writtenAt]
  const ahead = { ...checkpoint, writtenAt: at.now + hour }
  const kept = { ...checkpoint, silence: { pushed: held } }
  const rows: [what: string, Precedent | null, CheckpointDocument | null, heldAt: number, holdMs: number][] = [
    ['taken over at once', vacant(100), checkpoint, ago, 5 * second],
    ['taken over within the time of a retried request', vacant(4 * second), checkpoint, ago, 5 * second],
    ['taken over later', vacant(4 * second + 1), checkpoint, ago, 15 * second],
    ['who was there heard nobody for long', vacant(second, { ...deaf, deafMs: 4 * second }), checkpoint, ago, 15 * second],
    ['nobody was there', vacant(2 * minute), checkpoint, ago, 2 * minute],
    ['nobody was there for long', vacant(2 * hour), checkpoint, at.now - 2 * hour, hour],
    ['who was there heard nobody', vacant(10 * second, deaf), checkpoint, ago, 70 * second],
    ['the bus has lost the lease', null, checkpoint, ago, 7 * minute],
    ['nothing is known at all', null, null, never, 15 * second],
    ['no checkpoint was written', vacant(2 * minute), null, never, 2 * minute],
    ['a checkpoint of a clock that was ahead', null, ahead, at.now, 15 * second],
    ['in the midst of a hold', vacant(100, held), checkpoint, at.now - 30 * minute, 5 * minute],
    ['in the midst of a hold, after another outage', vacant(9 * minute, held), checkpoint, at.now - 30 * minute, 14 * minute],
    ['in the midst of a hold, known from its first outage on', vacant(100, begun), checkpoint, at.now - 30 * minute, 5 * minute],
    ['the same, after another outage', vacant(9 * minute, begun), checkpoint, at.now - 30 * minute, 30 * minute],
    ['the same, after a short one', vacant(10 * second, begun), checkpoint, at.now - 30 * minute, 5 * minute + 30 * second],
    ['soon after a short outage, after another', vacant(8 * second, soon), checkpoint, at.now - 30 * minute, 48 * second],
    ['in the midst of a hold of which the checkpoint alone knows', null, kept, at.now - 30 * minute, 12 * minute],
  ]
  for (const [what, precedent, stored, heldAt, leftMs] of rows) {
    const silence = silenceAfter(precedent, at, false)
    heedCheckpoint(silence, stored, at)
    hear(silence.pushed, at)
    t.match(silence.pushed, { heldAt, leftMs }, what)
  }
})

t.test('outages within a minute are remembered, for senders that have not reported since the first of them', t => {
  const start = { now: 100 * hour, monotonic: 50 * hour }
  const after = (ms: number) => ({ now: start.now + ms, monotonic: start.monotonic + ms })
  const at = after(100 * second)
  const rows: [what: string, outages: [fromS: number, toS: number][], leftS: number, missedLeftS: number | null][] = [
    ['one', [[70, 80]], 0, 0],
    ['one, and silence is still held back', [[80, 90]], 5, 0],
    ['one, more than a minute ago', [[30, 39]], 0, null],
    [
      'two, the second after the hold of the first',
      [
        [40, 46],
        [65, 72],
      ],
      0,
      4,
    ],
    [
      'two, more than a minute apart',
      [
        [10, 16],
        [72, 80],
      ],
      0,
      0,
    ],
    [
      'three',
      [
        [20, 26],
        [50, 57],
        [80, 86],
      ],
      1,
      52,
    ],
    [
      'a longer one within a minute after a short one',
      [
        [5, 11],
        [40, 90],
      ],
      40,
      75,
    ],
  ]
  for (const [what, outages, leftS, missedLeftS] of rows) {
    const { pushed } = silenceAfter({ vacantMs: 0, notes: {} }, start, true)
    const isOff = (s: number) => outages.some(([from, to]) => s > from && s < to)
    for (let s = 0; s <= 100; s += 1) if (!isOff(s)) hear(pushed, after(s * second))
    t.equal(pushed.leftMs, leftS * second, what)
    t.equal(pushed.missed?.leftMs ?? null, missedLeftS === null ? null : missedLeftS * second, what)
  }
  const silence = silenceAfter({ vacantMs: 8 * second, notes: { pushed: overSince(22 * second) } }, at, true)
  hear(silence.pushed, at)
  t.match(
    silence.pushed,
    { leftMs: 15 * second, missed: { sinceMs: 30 * second, leftMs: 30 * second } },
    'a successor learns of it',
  )
  t.match(notesOf(silence, at)?.pushed, { missed: { sinceMs: 30 * second, leftMs: 30 * second } }, 'and tells its own')
  t.end()
})

/** Note on an outage that began `sinceMs` ago, and after which silence is no longer held back. */
const overSince = (sinceMs: number): SilenceNote => ({
  ...{ deafMs: 0, leftMs: 0, sinceOutageMs: 0, heldAt: null },
  missed: { sinceMs, firstMs: 6 * second, count: 1, leftMs: 0, heldAt: 100 * hour },
})

t.test('silence is held back for 5 s after another keeper took the partition at once', async t => {
  const world = createWorld()
  const keeper = await world.startOne({ keeperId: 'first' })
  await world.clock.advance(minute)
  await world.startOne({ keeperId: 'second' })
  await world.clock.advance(minute)
  const site = await createOf(world, 'first')
  const spokeAt = world.clock.now()
  await world.report(site, true)
  await world.clock.advance(2 * minute + 58 * second)
  await stop(world, keeper)
  await world.clock.advance(spokeAt + 3 * minute + 2 * second - world.clock.now())
  t.strictSame(await world.incidents(site), [], 'a request that is retried still counts')
  await world.clock.advance(6 * second)
  t.match(await world.incidents(site), [{ status: 'pending', troubleSince: spokeAt + 3 * minute + 1 }])
})

/** Creates a monitor in a partition that this keeper holds. */
async function createOf(world: World, keeperId: string): Promise<string> {
  const leases = world.hub.connect().bucket('leases')
  for (;;) {
    const id = await world.create()
    const lease = await leases.get(keys.lease(partitionOf(id)))
    if ((lease?.value as { holder?: string } | undefined)?.holder === keeperId) return id
  }
}

t.test('silence is held back for 15 s after a restart of the only process that follows at once', async t => {
  const world = createWorld()
  const { site, spokeAt } = await startAndStop(world)
  await world.startOne({ exclusive: true })
  await world.clock.advance(20 * second)
  await world.clock.advance(spokeAt + 3 * minute + 30 * second - world.clock.now())
  t.match(await world.incidents(site), [{ status: 'pending', troubleSince: spokeAt + 3 * minute + 1 }])
})

for (const [state, before] of [
  ['ok', 'problem'],
  ['problem', 'ok'],
] as const)
  t.test(
    `incident follows a new ${state} of a Resource although an old report of that state came while silence was held back (v3 4.11)`,
    async t => {
      const world = createWorld()
      await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
      const keeper = await world.startOne({ exclusive: true })
      const { id } = await create(world)
      const spokeAt = world.clock.now()
      await observe(world, id, { signal: 'probe', state: before })
      await stop(world, keeper)
      await world.clock.advance(10 * minute)
      await world.startOne({ exclusive: true })
      await world.clock.advance(10 * second)
      // The old report is from before the outage, and its input would be silent by now, so the report changes no incident.
      await observe(world, id, { signal: 'probe', state, atUs: (spokeAt + second) * 1_000 })
      const lifecycle = async () => (await world.incidents(id)).map(({ open, condition }) => ({ open, condition }))
      t.strictSame(await lifecycle(), before === 'problem' ? [{ open: 1, condition: 'problem' }] : [])
      await observe(world, id, { signal: 'probe', state })
      t.strictSame(await lifecycle(), [{ open: 1, condition: state }])
    },
  )
