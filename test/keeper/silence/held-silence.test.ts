// Holds of a Template's rules while silence is held back because no gateway accepts reports. A hold pauses from the instant at which its
// rule can no longer decide, even after another signal's silence. Reference: docs/reference/v3.md, 4.4, 4.7 and 4.11.
import t from 'tap'
import { create, host, observe, second, setStage } from '../resources/resource-world.ts'

const busy = { signal: 'load', field: 'value', operator: 'gt', operand: 5, min_count: 1, within_seconds: 90 }
const template = {
  ...host,
  signals: [
    { key: 'probe', kind: 'heartbeat', every_seconds: 20 },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'silent',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { not: { signal: 'probe', field: 'known' } },
    },
    { key: 'busy', action: 'Look.', wait: { confirm_after: 120, recover_after: 0 }, decision: busy },
  ],
}

t.test('hold pauses when the window of a counted comparison empties after a silence that is held back (v3 4.11)', async t => {
  const world = await setStage(template)
  const { id } = await create(world)
  await world.clock.advance(60 * second)
  const at = world.clock.now()
  await observe(world, id, { signal: 'probe', atUs: at * 1_000 }, { signal: 'load', value: 9, atUs: at * 1_000 })
  await world.gateway.stop()
  // The probe is silent after 60 s. This silence is held back and does not count. The window is empty after 90 s, which counts.
  await world.clock.advance(100 * second)
  const paused = (await world.history(id)).filter(({ kind }) => kind === 'hold paused')
  t.match(paused, [{ at: at + 90 * second + 1 }])
  await world.clock.advance(50 * second)
  await observe(world, id, { signal: 'load', value: 9 })
  const confirmed = () =>
    world.incidents(id).then(all => all.filter(({ ruleKey }) => ruleKey === 'busy').map(one => one.confirmedAt))
  t.strictSame(await confirmed(), [null], 'it has 30 s left')
  await world.clock.advance(31 * second)
  t.match(await confirmed(), [Number], 'which have passed')
})
