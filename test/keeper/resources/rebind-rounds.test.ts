// Readings of a Resource that is bound to another revision and back, in one round or before its keeper dies: counts and baselines are kept.
// Reference: docs/reference/v3.md, 4.5 and 4.6.
import t from 'tap'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Store } from '#shared/store/port.ts'
import { createWorld, minute } from '../world.ts'
import { create, host, observe, publish, read, second, setStage } from './resource-world.ts'

const above = (operand: number, more: object) => ({ signal: 'load', field: 'value', operator: 'gt', operand, ...more })
const nothing = { systemKeys: new Set<string>(), destinations: [] }
const wait = { confirm_after: 0, recover_after: 0 }
const counting = {
  ...host,
  version: 2,
  rules: [
    { key: 'often', action: 'Wait.', wait, decision: above(2, { min_count: 5, within_seconds: 3_600 }) },
    { key: 'unusual', action: 'Look.', wait, decision: above(3, { baseline: { days: 1, min_samples: 4 } }) },
  ],
}

/** Store of a process that can die: after its death, the process writes and receives nothing. */
function mortal(store: Store, life: { isOver: boolean }): Store {
  return new Proxy(store, {
    get: (all, name: keyof Store) => {
      if (typeof all[name] !== 'function') return all[name]
      const call = all[name] as (...given: never[]) => unknown
      return (...given: never[]) => (life.isOver ? new Promise(() => undefined) : call.apply(all, given))
    },
  })
}

t.test('rebound Resource keeps its counts and baselines when its keeper dies after a late report (v3 4.6)', async t => {
  const life = { isOver: false }
  let made = 0
  const world = createWorld(store => (made++ === 0 ? mortal(store, life) : store))
  for (const document of [host, counting]) await publish(world, readManifest(document, nothing))
  const first = await world.startOne({ exclusive: true })
  const { id } = await create(world)
  const nowUs = world.clock.now() * 1_000
  for (let i = 1; i <= 5; i++) await observe(world, id, { signal: 'load', value: 1, atUs: nowUs - 10e6 + i * 1e6 })
  await observe(world, id, { signal: 'load', value: 1, atUs: nowUs - minute * 1_000 })
  await world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template: 'host@2', answers: {} } as never)
  const said = async () => (await read(world, id)).rules.map(({ key, status, explanation }) => ({ key, status, explanation }))
  const before = await said()
  t.match(before, [{ explanation: 'load 1 (0 of 5 in 3600 s)' }, { explanation: 'load 1 (1d median 1 of 5 readings)' }])
  life.isOver = true
  world.hub.cut(first.bus)
  await world.clock.advance(30 * second)
  await world.startOne({ exclusive: true })
  await world.clock.advance(30 * second)
  t.strictSame(await said(), before)
})

const disk = { signal: 'disk', field: 'value', operator: 'gt', operand: 2 }
const counted = { key: 'full', action: 'Clear it.', wait, decision: { ...disk, min_count: 3, within_seconds: 600 } }
const measured = { key: 'grown', action: 'Look.', wait, decision: { ...disk, baseline: { days: 1, min_samples: 2 } } }
const declaring = {
  ...host,
  version: 3,
  signals: [...host.signals, { key: 'disk', kind: 'event' }],
  rules: [counted, measured],
}

/** A number is a report of this value. A string is a rebind to this revision. */
type Deed = number | string

/** Returns the rules' verdicts after `deeds`, each sent alone or all in one round. */
async function after(before: readonly Deed[], deeds: readonly Deed[], isTogether: boolean) {
  const world = await setStage()
  await publish(world, readManifest(declaring, nothing))
  const { id } = await create(world)
  const report = (value: number) => observe(world, id, { signal: 'disk', value, signalKind: 'event' })
  const rebind = (template: string) =>
    world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template, answers: {} } as never)
  const does = (deed: Deed) => (typeof deed === 'number' ? report(deed) : rebind(deed))
  for (const deed of [3, 4, 9, ...before]) await does(deed)
  const answers: unknown[] = isTogether ? await Promise.all(deeds.map(does)) : []
  if (!isTogether) for (const deed of deeds) answers.push(await does(deed))
  const isTaken = answers.flat().every(answer => (answer as { ok: boolean }).ok)
  const { rules } = await read(world, id)
  return { isTaken, rules: rules.map(({ key, status, explanation }) => ({ key, status, explanation })) }
}

const rounds: [before: Deed[], deeds: Deed[]][] = [
  [[], ['host@3', 7]],
  [[], [5, 'host@3', 7]],
  [['host@3'], ['host@1', 'host@3']],
  [['host@3'], ['host@1', 7, 'host@3']],
  [['host@3'], [5, 'host@1', 7, 'host@3', 8]],
  [[], ['host@3', 7, 'host@1', 8, 'host@3']],
  [
    ['host@3', 6, 'host@1'],
    ['host@3', 7],
  ],
  [
    ['host@3', 6, 'host@1'],
    [8, 'host@3', 7, 'host@1', 'host@3'],
  ],
]
for (const [before, deeds] of rounds)
  t.test(
    `declared signal has the same readings in one round as in many: ${[...before, 'then', ...deeds].join(' ')} (v3 4.6)`,
    async t => {
      const apart = await after(before, deeds, false)
      t.ok(apart.isTaken)
      t.match(apart.rules[0]?.explanation, /^disk \d \(\d of 3 in 600 s\)$/)
      t.strictSame(await after(before, deeds, true), apart)
    },
  )
