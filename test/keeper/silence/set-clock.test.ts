// The machine is suspended, or its clock is set, while keepers run: nobody is called silent by mistake, and problems are told in time.
// Reference: ADR 35.
import t, { type Test } from 'tap'
import { hour, second } from '#shared/limits/limits.ts'
import { createWorld, minute } from '../world.ts'

const heart = 'heart00001'
const everyMs = 5 * second
const confirmAfterMs = 2 * minute

type World = ReturnType<typeof createWorld>

async function startWithHeart() {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  await world.clock.advance(30 * second)
  const site = await world.create()
  const command = async (body: object) => {
    const reply = await world.command(heart, body as never)
    if (!reply.ok) throw new Error(reply.error.message)
  }
  await command({ kind: 'create-subject', workspaceId: 'w', slug: heart, name: heart })
  await command({ kind: 'create-signal', name: 'Beat', signalKind: 'custom_heartbeat', meta: '{}', convert: false })
  const input = { from: null, compare: null, threshold: null, match: null, signal: 'beat', mode: 'status', noDataAfterMs: minute }
  const policy = { inputs: [input], need: 'any', atLeast: null, confirmAfterMs, closeAfterMs: 0 }
  await command({ kind: 'create-rule', name: 'alive', policy, convert: false })
  return { world, site }
}

const beat = async (world: World, status: 'ok' | 'problem' = 'ok', aheadMs = 0) => {
  const observedAtUs = ((world.clock.wall?.() ?? 0) + aheadMs) * 1_000
  const report = { signal: 'beat', status, value: null, error: '', labels: {}, observedAtUs }
  const reply = await world.command(heart, { kind: 'report-observation', ...report } as never)
  return reply.ok ? (reply.result as { rejectReason: string }).rejectReason : reply.error.message
}

/** Reports of the site and beats with the machine's instants, for `ms`. Returns the reasons for which beats were rejected. */
async function liveFor(world: World, site: string, ms: number, status: 'ok' | 'problem' = 'ok'): Promise<Set<string>> {
  const reasons = new Set<string>()
  for (let passed = 0; passed < ms; passed += everyMs) {
    reasons.add(await beat(world, status))
    if (passed % minute === 0) await world.report(site, true)
    await world.clock.advance(everyMs)
  }
  return reasons
}

const toldOf = async (world: World, id: string) => (await world.alerts(id)).map(({ kind }) => kind)

/** Asserts that the instants of each incident of the heart never run backwards. */
async function requireOrder(t: Test, world: World) {
  const incidents = Map.groupBy(await world.history(heart), ({ incidentId }) => incidentId)
  t.ok(incidents.size > 0)
  for (const records of incidents.values()) {
    const instants = records.toSorted((one, other) => one.sequence - other.sequence).map(({ at }) => at)
    t.strictSame(
      instants,
      instants.toSorted((one, other) => one - other),
    )
  }
}

for (const byMs of [10 * second, hour])
  t.test(
    `nobody is called silent after a suspend or a step of ${byMs / second} s, and a later silence and problem are told`,
    async t => {
      const { world, site } = await startWithHeart()
      await liveFor(world, site, 5 * minute)
      world.clock.stepWall(byMs)
      await world.clock.advance(everyMs)
      t.strictSame(await liveFor(world, site, 10 * minute), new Set(['accepted']), 'reports with the right instant count')
      t.strictSame([await toldOf(world, heart), await toldOf(world, site)], [[], []])
      const failedAt = world.clock.monotonic()
      for (; (await toldOf(world, heart)).length === 0; ) await liveFor(world, site, everyMs, 'problem')
      t.ok(world.clock.monotonic() - failedAt <= confirmAfterMs + 2 * everyMs, 'a problem is told in time')
      await liveFor(world, site, minute)
      t.strictSame(await toldOf(world, heart), ['problem', 'recovery'])
      await world.clock.advance(Math.min(byMs, hour) + confirmAfterMs + 2 * minute)
      t.strictSame(await toldOf(world, heart), ['problem', 'recovery', 'no_data'], 'a real silence is told after the hold')
      await requireOrder(t, world)
    },
  )

t.test('clock set back by an hour delays no problem, makes nobody silent, and lets no instant run backwards', async t => {
  const { world, site } = await startWithHeart()
  await liveFor(world, site, 5 * minute)
  world.clock.setBack(hour)
  t.strictSame(await liveFor(world, site, 10 * minute), new Set(['accepted']), 'reports with the right instant count')
  t.equal(await beat(world, 'ok', 61 * second), 'clock_skew', 'the bound goes by the right instant')
  t.strictSame([await toldOf(world, heart), await toldOf(world, site)], [[], []])
  const failedAt = world.clock.monotonic()
  for (; (await toldOf(world, heart)).length === 0; ) await liveFor(world, site, everyMs, 'problem')
  t.ok(world.clock.monotonic() - failedAt <= confirmAfterMs + 2 * everyMs, 'a problem is told in time')
  await liveFor(world, site, minute)
  t.strictSame(await toldOf(world, heart), ['problem', 'recovery'])
  await world.clock.advance(minute + confirmAfterMs + minute)
  t.strictSame(await toldOf(world, heart), ['problem', 'recovery', 'no_data'], 'a silence is told in time')
  await requireOrder(t, world)
})
