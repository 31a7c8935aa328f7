// Test of the formula of docs/detection.md for the latest instant of an alert, over generated settings in virtual time. The
// keeper is real. The test itself reports the checks by the probers' real schedule, and each check takes its longest time.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { FailureMode } from '#shared/contracts/subjects/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { phaseOf, slotAfter } from '../../services/prober/schedule.ts'
import { createWorld, minute } from '../keeper/world.ts'
import { Random } from '../simulation/random.ts'

const checkMs = limits.check.totalMs
/**
 * Time for reports, rounds and the hint to the notifiers, ms. Bus and store take no time here, but the keeper delays passed checks to
 * commit several at once.
 */
const slackMs = 100

interface Case {
  name: string
  intervalMs: number
  locations: number
  mode: FailureMode
  holdMs: number
  /** Number of locations from which the site is down; from the other locations the site is up. */
  failing: number
  /** Time between the response to a slot's request and the failure of the site, as a share of the interval; 0 is the worst case. */
  phase: number
  /** Duration of each check, ms. */
  tookMs(slot: number, location: number): number
}

const needed = (mode: FailureMode, n: number): number =>
  mode === 'at_least_one' ? 1 : mode === 'all' ? n : Math.floor(n / 2) + 1

/** Formula of docs/detection.md, "A website that is down". */
const latestAlert = (downAt: number, { intervalMs, holdMs }: Case): number => downAt + intervalMs + checkMs + holdMs

interface Outcome {
  brokeAt: number
  /** Instant at which the keeper sent a hint to the notifiers; null: the keeper sent none. */
  toldAt: number | null
  kinds: string[]
}

const name = (index: number): string => `loc${index}`

/** Runs one monitor: passing checks, then failing checks until well after the promised instant. */
async function play(one: Case): Promise<Outcome> {
  const world = createWorld()
  const { clock, client } = world
  await world.startOne({ exclusive: true, confirmAfterMs: one.holdMs })
  const locations = Array.from({ length: one.locations }, (_, index) => name(index))
  const subjectId = await world.create({ interval_value: one.intervalMs / minute, locations, failure_mode: one.mode })
  let toldAt: number | null = null
  await client.subscribe(subjects.alertNudge, () => {
    toldAt ??= clock.now()
  })

  // A new monitor is checked at once, then at its slots.
  for (const location of locations) await world.report(subjectId, true, { slotAt: clock.now() - 1 }, location)
  const phase = phaseOf(subjectId, one.intervalMs)
  const firstSlot = slotAfter(clock.now(), one.intervalMs, phase)
  const slots = (count: number) => Array.from({ length: count }, (_, index) => firstSlot + index * one.intervalMs)
  const brokeAt = firstSlot + one.intervalMs + 1 + Math.floor(one.phase * (one.intervalMs - 1))
  const untilMs = latestAlert(brokeAt, one) + 2 * slackMs
  const count = Math.ceil((untilMs - firstSlot) / one.intervalMs) + 1
  const reports = slots(count).flatMap((slotAt, slot) =>
    locations.map((location, index) => {
      const ok = slotAt < brokeAt || index >= one.failing
      // A passing check is short; a failing check can take its whole timeout.
      return { slotAt, location, ok, at: slotAt + (ok ? 5 : one.tookMs(slot, index)) }
    }),
  )
  for (const { slotAt, location, ok, at } of reports.toSorted((a, b) => a.at - b.at)) {
    if (at > clock.now()) await clock.advance(at - clock.now())
    await client.observations.publish(subjects.observation(location, subjectId), result(slotAt, ok))
  }
  await clock.advance(Math.max(1, untilMs - clock.now()))
  const kinds = (await world.alerts(subjectId)).map(alert => alert.kind)
  return { brokeAt, toldAt, kinds }
}

const result = (slotAt: number, ok: boolean): CheckResult => ({
  rev: 1,
  slotAt,
  ageMs: 0,
  ok,
  error: ok ? null : 'no answer within 30 s',
  statusCode: ok ? 200 : null,
  phases: { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 },
})

const modes: readonly FailureMode[] = ['at_least_one', 'majority', 'all']

/** Worst cases: the site fails right after a check, and every failing check takes its whole 30 s. */
const worst: Case[] = modes.flatMap(mode =>
  [1, 2, 3, 5].map(locations => ({
    name: `${mode} of ${locations}`,
    intervalMs: minute,
    locations,
    mode,
    holdMs: 2 * minute,
    failing: locations,
    phase: 0,
    tookMs: () => checkMs,
  })),
)

function generated(seed: number): Case {
  const random = new Random(seed, 'detection')
  const locations = random.integer(1, 6)
  const mode = random.pick(modes)
  return {
    name: `seed ${seed}`,
    intervalMs: random.pick([1, 1, 2, 3]) * minute,
    locations,
    mode,
    holdMs: random.pick([0, 1_000, minute, 2 * minute]),
    failing: random.integer(needed(mode, locations), locations),
    phase: random.chance(0.3) ? 0 : random.next(),
    tookMs: (slot, location) => new Random(seed * 1_000 + slot * 10 + location, 'took').integer(1, checkMs),
  }
}

t.test('alert comes at the promised instant in the worst case', async t => {
  for (const one of worst) {
    const { brokeAt, toldAt, kinds } = await play(one)
    const latest = latestAlert(brokeAt, one)
    t.strictSame(kinds, ['problem'], one.name)
    t.ok(toldAt !== null && toldAt <= latest + slackMs, `${one.name}: ${(toldAt ?? 0) - latest} ms from the promise`)
    t.ok(toldAt !== null && toldAt >= latest - slackMs, `${one.name}: the promise is as tight as it can be`)
  }
})

t.test('alert comes by the promised instant for generated settings', async t => {
  for (let seed = 1; seed <= 20; seed++) {
    const one = generated(seed)
    const { brokeAt, toldAt, kinds } = await play(one)
    const early = latestAlert(brokeAt, one) - (toldAt ?? Number.NaN)
    const told = `${one.name}: ${one.mode}, ${one.failing} of ${one.locations} failing, ${early} ms before the promise`
    t.ok(early >= -slackMs && early <= one.intervalMs + checkMs, told)
    t.strictSame(kinds, ['problem'], told)
  }
})

t.test('nobody is notified when fewer locations fail than the failure mode requires', async t => {
  for (const { mode, locations } of [
    { mode: 'majority', locations: 3 },
    { mode: 'all', locations: 3 },
    { mode: 'majority', locations: 5 },
  ] as const) {
    const failing = needed(mode, locations) - 1
    const base = generated(7)
    const { kinds } = await play({ ...base, intervalMs: minute, holdMs: 2 * minute, mode, locations, failing, phase: 0 })
    t.strictSame(kinds, [], `${mode}: ${failing} of ${locations}`)
  }
})

t.test('recovery is sent after the slowest passing check and the recovery delay', async t => {
  for (const mode of modes) {
    const world = createWorld()
    const { clock } = world
    await world.startOne({ exclusive: true, confirmAfterMs: 0 })
    const locations = [name(0), name(1), name(2)]
    const id = await world.create({ locations, failure_mode: mode })
    for (const location of locations) await world.report(id, false, { slotAt: clock.now() - 1 }, location)
    const slotAt = clock.now()
    for (const location of locations) await world.report(id, false, { slotAt }, location)
    const wellAt = slotAt + 1
    await clock.advance(slotAt + minute + checkMs - clock.now())
    let toldAt = 0
    await world.client.subscribe(subjects.alertNudge, () => {
      toldAt = clock.now()
    })
    for (const location of locations)
      await world.client.observations.publish(subjects.observation(location, id), result(slotAt + minute, true))
    await clock.advance(minute)
    for (const location of locations) await world.report(id, true, { slotAt: slotAt + 2 * minute }, location)
    await clock.advance(2 * minute)
    const latest = wellAt + minute + checkMs + 2 * minute
    t.strictSame(
      (await world.alerts(id)).map(alert => alert.kind),
      ['problem', 'recovery'],
      mode,
    )
    t.ok(Math.abs(toldAt - latest) <= slackMs, `${mode}: ${toldAt - latest} ms from the promise`)
  }
})

t.test('silence of all locations leads to no data at the promised instant', async t => {
  for (const intervalMs of [minute, 5 * minute]) {
    const world = createWorld()
    const holdMs = 2 * minute
    await world.startOne({ exclusive: true, confirmAfterMs: holdMs })
    const id = await world.create({ interval_value: intervalMs / minute })
    const lastReportAt = world.clock.now()
    await world.report(id, true)
    let toldAt = 0
    await world.client.subscribe(subjects.alertNudge, () => {
      toldAt ||= world.clock.now()
    })
    const latest = lastReportAt + limits.judging.silentIntervals * intervalMs + holdMs
    await world.clock.advance(latest - world.clock.now() + minute)
    t.strictSame(
      (await world.alerts(id)).map(alert => alert.kind),
      ['no_data'],
    )
    t.ok(Math.abs(toldAt - latest) <= slackMs, `${toldAt - latest} ms from the promise`)
  }
})

t.test('new location that never reports leads to no data after a minute and the confirmation delay', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true, confirmAfterMs: 2 * minute })
  const createdAt = world.clock.now()
  const id = await world.create()
  let toldAt = 0
  await world.client.subscribe(subjects.alertNudge, () => {
    toldAt ||= world.clock.now()
  })
  await world.clock.advance(5 * minute)
  t.strictSame(
    (await world.alerts(id)).map(alert => alert.kind),
    ['no_data'],
  )
  t.ok(Math.abs(toldAt - createdAt - minute - 2 * minute) <= slackMs)
})

t.test(
  'rule of a custom subject notifies of a problem after its delay, and of silence after the permitted silence and the delay',
  async t => {
    for (const { told, noDataAfterMs, confirmAfterMs } of [
      { told: 'problem', noDataAfterMs: null, confirmAfterMs: 0 },
      { told: 'problem', noDataAfterMs: null, confirmAfterMs: 7 * minute - 1_000 },
      { told: 'no_data', noDataAfterMs: null, confirmAfterMs: minute },
      { told: 'no_data', noDataAfterMs: 90_000, confirmAfterMs: 0 },
    ]) {
      const world = createWorld()
      const { clock } = world
      await world.startOne({ exclusive: true })
      const id = 'customsubj'
      const must = async (command: object) => t.match(await world.command(id, command as never), { ok: true })
      await must({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
      await must({ kind: 'create-signal', name: 'beat', signalKind: 'custom_heartbeat', meta: '{}', convert: false })
      const input = { signal: 'beat', from: null, mode: 'status', compare: null, threshold: null, match: null, noDataAfterMs }
      const policy = { inputs: [input], need: 'any', atLeast: null, confirmAfterMs, closeAfterMs: minute }
      await must({ kind: 'create-rule', name: 'down', convert: false, policy })
      let toldAt = 0
      await world.client.subscribe(subjects.alertNudge, () => {
        toldAt ||= clock.now()
      })
      const reportedAt = clock.now()
      const status = told === 'problem' ? 'problem' : 'ok'
      const observation = { signal: 'beat', status, observedAtUs: null, value: null, error: '', labels: {} }
      await must({ kind: 'report-observation', ...observation })
      const latest = reportedAt + confirmAfterMs + (told === 'no_data' ? (noDataAfterMs ?? limits.judging.heartbeatSilentMs) : 0)
      // The heartbeat continues, so that the problem does not become silence before its delay ends.
      while (told === 'problem' && clock.now() < latest - minute) {
        await clock.advance(minute)
        await must({ kind: 'report-observation', ...observation })
      }
      await clock.advance(Math.max(1, latest - clock.now() + 2 * slackMs))
      t.strictSame(
        (await world.alerts(id)).map(alert => alert.kind),
        [told],
      )
      t.ok(Math.abs(toldAt - latest) <= slackMs, `${told} after ${confirmAfterMs} ms: ${toldAt - latest} ms from the promise`)
    }
  },
)

t.test('docs/detection.md states the bounds that the code has', async t => {
  const page = readFileSync(new URL('../../docs/detection.md', import.meta.url), 'utf8')
  t.equal(limits.check.totalMs, 30_000)
  t.equal(limits.judging.silentIntervals, 3)
  t.equal(limits.judging.websiteGraceMs, minute)
  t.equal(limits.judging.heartbeatSilentMs, 5 * minute)
  t.equal(limits.keeper.silenceHoldOffMs, 15_000)
  t.equal(limits.keeper.silenceHoldOffMaxMs, 60 * minute)
  t.equal(limits.keeper.deafMs, 4_000)
  for (const text of [
    'down + interval + 30 s + hold',
    'last report + 3 x interval + hold',
    'added + 60 s + hold',
    'well + interval + 30 s + hold',
    'back + off',
    'Watchkeeper was off for 25 s: silence alerts wait 25 s.',
  ]) {
    t.ok(page.includes(text), text)
  }
})
