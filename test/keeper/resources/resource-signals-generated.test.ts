// Generated sequences for signals of generation 3, compared with plain rules. One test sends reports through the APIs of both generations.
// The other mixes checks and Observations of a website, and restarts the keeper. Reference: docs/reference/v3.md, 7.4 and 7.5.
import t from 'tap'
import { Random } from '../../simulation/random.ts'
import { createWorld, minute } from '../world.ts'
import { observe, setStage } from './resource-world.ts'
import { addRule, addSignal, createCustom, must, reachability, verdictOf } from './signal-commands.ts'

for (const seed of [1, 2, 3]) {
  t.test(`reports through the APIs of both generations open the same incidents, seed ${seed} (v3 7.5)`, async t => {
    const livesThrough = async (door: 'report-observation' | 'observe') => {
      const random = new Random(seed, 'doors')
      const world = await setStage()
      const id = await createCustom(world)
      await addSignal(world, id, 'beat')
      await addRule(world, id, 'prod', { signal: 'beat', match: { env: 'prod' } })
      await addRule(world, id, 'slow', { signal: 'beat', mode: 'latest_value', compare: '>', threshold: 5 })
      for (let i = 0; i < 60; i++) {
        await world.clock.advance(random.integer(1_000, 4 * minute))
        const atUs = world.clock.now() * 1_000 + i
        const status = random.chance(0.5) ? 'ok' : 'problem'
        const labels = { env: random.chance(0.5) ? 'prod' : 'test' }
        const value = random.chance(0.2) ? null : random.integer(0, 10)
        if (door === 'observe') await observe(world, id, { signal: 'beat', atUs, state: status, value, labels })
        else await must(world, id, { kind: door, signal: 'beat', observedAtUs: atUs, status, value, error: '', labels })
      }
      return (await world.incidents(id)).map(({ troubleSince, confirmedAt, closedAt }) => ({
        troubleSince,
        confirmedAt,
        closedAt,
      }))
    }
    const expected = await livesThrough('report-observation')
    t.ok(expected.length > 3)
    t.strictSame(await livesThrough('observe'), expected)
  })
}

for (const seed of [1, 2]) {
  t.test(`a location reads the newest of generated checks and Observations, through restarts, seed ${seed} (v3 7.4)`, async t => {
    const random = new Random(seed, 'pushed')
    const world = createWorld()
    let keeper = await world.startOne({ exclusive: true })
    const id = await world.create({ interval_value: 10 })
    // A report from before the location joined the monitor is no reading of the monitor.
    await world.clock.advance(minute)
    let expected = { at: 0, ok: true, isPushed: false }
    let endedAt = 0
    for (let i = 0; i < 40; i++) {
      await world.clock.advance(random.integer(1_000, 20_000))
      const ok = random.chance(0.5)
      const now = world.clock.now()
      const at = now - random.integer(0, 40_000)
      if (random.chance(0.5)) {
        const isAhead = random.chance(0.2)
        await observe(world, id, {
          signal: reachability,
          state: ok ? 'ok' : 'problem',
          atUs: (isAhead ? now + 30_000 : at) * 1_000,
        })
        if (isAhead || at >= expected.at) expected = { at: isAhead ? now : at, ok, isPushed: true }
      } else {
        // Checks of a location end in the order of their slots.
        endedAt = Math.max(endedAt + 1, at)
        await world.report(id, ok, { slotAt: endedAt, ageMs: now - endedAt })
        if (!expected.isPushed || endedAt >= expected.at) expected = { at: endedAt, ok, isPushed: false }
      }
      if (random.chance(0.1)) {
        world.hub.cut(keeper.bus)
        await world.clock.advance(minute)
        keeper = await world.startOne({ exclusive: true })
        await world.clock.advance(minute)
      }
      t.equal(await verdictOf(world, id, 'availability'), expected.ok ? 'ok' : 'problem', `step ${i}`)
    }
  })
}
