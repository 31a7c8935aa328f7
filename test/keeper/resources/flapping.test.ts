// Rules that count the changes of their result, in a keeper: confirmation, recovery, messages, take-over, rebind and replay. Reference:
// docs/reference/v3.md, 4.14.
import t from 'tap'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { runPreview } from '../../../services/keeper/preview/run-preview.ts'
import { naiveFlapping, naiveFlappingEnd } from '../../judging/naive-flapping.ts'
import { Random } from '../../simulation/random.ts'
import { createWorld, minute } from '../world.ts'
import { create, kindsOf, observe, publish, read, ruleOf, setStage, type World } from './resource-world.ts'

const nothing = { systemKeys: new Set<string>(), destinations: [] }
const failing = { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' }
const usual = { confirm_after: 600, recover_after: 120, flapping: { changes: 4, within_seconds: 600 } }
const document = (wait: object = usual, version = 1) => ({
  key: 'host',
  version,
  name: 'Host',
  signals: [{ key: 'probe', kind: 'event' }],
  rules: [{ key: 'down', action: 'Restart the host.', wait, decision: failing }],
})

/** Reports the states, one a minute from minute 0 on; `.` reports nothing. `u` is `no_data`. Then time passes until minute `until`. */
async function live(world: World, id: string, states: string, until = states.length): Promise<void> {
  const begin = world.clock.now()
  for (const [i, letter] of [...states].entries()) {
    await world.clock.advance(begin + i * minute - world.clock.now())
    const state = { p: 'problem', o: 'ok', u: 'no_data' }[letter]
    if (state !== undefined) await observe(world, id, { signal: 'probe', state })
  }
  await world.clock.advance(begin + until * minute - world.clock.now())
}

/** Returns the incidents with their instants in whole minutes after `begin`. */
async function incidentsOf(world: World, id: string, begin: number) {
  const at = (instant: number | null) => instant && Math.round((instant - begin) / minute)
  const found = await world.incidents(id)
  return found.map(({ troubleSince, confirmedAt, closedAt }) => [at(troubleSince) ?? 0, at(confirmedAt), at(closedAt)])
}

async function toldOf(world: World, id: string) {
  const alerts = await world.alerts(id)
  return alerts.sort((one, other) => one.decidedAt - other.decidedAt || one.number - other.number)
}

async function replayFaults(world: World, id: string): Promise<string[]> {
  const subject = await world.subject(id)
  const records = await world.store.find('history', { where: { subjectId: id }, sort: [['sequence', 'asc']], limit: 1_000 })
  return (await world.incidents(id)).flatMap(incident => {
    const rule = subject?.rules.find(one => one.incident?.context.incidentId === incident.id)
    const held = rule ? { ruleKey: rule.key, snapshot: rule.incident, verdict: rule.verdict } : null
    const own = records.filter(({ incidentId }) => incidentId === incident.id)
    return replayIncident(incident, own, held as never).faults
  })
}

interface Case {
  title: string
  states: string
  until?: number
  wait?: object
  /** Minutes of opening, confirmation and close of each incident. */
  incidents: (number | null)[][]
  told: string[]
}

const short = { ...usual, flapping: { changes: 4, within_seconds: 180 } }
const cases: Case[] = [
  {
    title: 'change to ok that makes the count full confirms the open incident, which stays open',
    states: 'popo',
    incidents: [[0, 3, null]],
    told: ['opened', 'problem'],
  },
  {
    title: 'change to problem that makes the count full confirms',
    states: 'opopop',
    incidents: [[1, 4, null]],
    told: ['opened', 'problem'],
  },
  {
    title: 'no incident is confirmed one change earlier',
    states: 'pop',
    incidents: [[0, null, null]],
    told: ['opened'],
  },
  {
    title: 'rule that does not count changes is never confirmed by them',
    states: 'popopopopopo',
    wait: { confirm_after: 600, recover_after: 120 },
    incidents: [[0, null, null]],
    told: ['opened'],
  },
  {
    title: 'window includes its beginning',
    states: 'popo',
    wait: short,
    incidents: [[0, 3, null]],
    told: ['opened', 'problem'],
  },
  {
    title: 'changes that left the window count no longer',
    states: 'po.po.po.po',
    wait: { ...short, recover_after: 300 },
    incidents: [[0, null, null]],
    told: ['opened'],
  },
  {
    title: 'unknown result is no change and leaves the count as it is',
    states: 'pupuououpuo',
    wait: { ...usual, recover_after: 300, flapping: { changes: 4, within_seconds: 720 } },
    incidents: [[0, 10, null]],
    told: ['opened', 'problem'],
  },
  {
    title: 'incident closes when the oldest change leaves the window, as of the beginning of its recovery',
    states: 'popo',
    until: 11,
    incidents: [[0, 3, 3]],
    told: ['opened', 'problem', 'recovery'],
  },
  {
    title: 'recovery ends no earlier than the window lets it',
    states: 'popo',
    until: 10,
    incidents: [[0, 3, null]],
    told: ['opened', 'problem'],
  },
  {
    title: 'recovery ends no earlier than its own delay',
    states: 'popo',
    until: 14,
    wait: { ...short, recover_after: 600 },
    incidents: [[0, 3, 3]],
    told: ['opened', 'problem', 'recovery'],
  },
  {
    title: 'count goes on over incidents that close at once',
    states: 'popop',
    wait: { ...usual, recover_after: 0, flapping: { changes: 5, within_seconds: 600 } },
    incidents: [
      [0, null, 1],
      [2, null, 3],
      [4, 4, null],
    ],
    told: ['opened', 'recovery', 'opened', 'recovery', 'opened', 'problem'],
  },
  {
    title: 'incident that would close at once waits for the window',
    states: 'popo',
    wait: { ...usual, recover_after: 0 },
    incidents: [
      [0, null, 1],
      [2, 3, null],
    ],
    told: ['opened', 'recovery', 'opened', 'problem'],
  },
  {
    title: 'incident without a confirmation delay is confirmed once',
    states: 'popop',
    wait: { ...usual, confirm_after: 0 },
    incidents: [[0, 0, null]],
    told: ['problem'],
  },
]

for (const { title, states, until, wait, incidents, told } of cases)
  t.test(`${title} (v3 4.14)`, async t => {
    const world = await setStage(document(wait))
    const { id } = await create(world)
    const begin = world.clock.now()
    await live(world, id, states, until)
    t.strictSame(await incidentsOf(world, id, begin), incidents)
    t.strictSame(
      (await toldOf(world, id)).map(({ kind }) => kind),
      told,
    )
    t.strictSame(await replayFaults(world, id), [])
  })

t.test('explanations of rule, incident and message say how often the result changed, while it does (v3 4.14)', async t => {
  const world = await setStage(document())
  const { id } = await create(world)
  await live(world, id, 'popop')
  const said = 'probe problem, changed 4 times in 10m'
  t.equal((await ruleOf(world, id, 'down'))?.explanation, said)
  t.equal((await world.incidents(id))[0]?.explanation, said)
  t.strictSame(
    (await toldOf(world, id)).map(({ kind, facts }) => [kind, facts.explanation]),
    [
      ['opened', 'probe problem'],
      ['problem', 'probe ok, changed 4 times in 10m'],
    ],
  )
  await world.clock.advance(7 * minute)
  t.equal((await ruleOf(world, id, 'down'))?.explanation, 'probe problem', 'no longer')
  t.equal((await world.incidents(id))[0]?.explanation, 'probe problem', 'also as recorded')
  t.strictSame(await replayFaults(world, id), [])
})

t.test(
  'next of a flapping incident is the end of its window, and its history has the confirmation (v3 4.14, 5.2, 5.7)',
  async t => {
    const world = await setStage(document())
    const { id } = await create(world)
    const begin = world.clock.now()
    await live(world, id, 'popo')
    const [incident] = await world.incidents(id)
    const reply = await world.command(id, { kind: 'read-incident', incidentId: incident?.id } as never)
    const { next } = (reply as unknown as { result: { next: { what: string; at: number } } }).result
    t.match(next, { what: 'close' })
    t.ok(Math.abs(next.at - begin - 10 * minute) < 1_000, `${next.at - begin}`)
    const listed = (await world.history(id)).filter(one => one.listed === 1).sort((one, other) => one.sequence - other.sequence)
    t.strictSame(
      listed.map(({ event, state }) => `${event.type} ${state}`),
      [
        'problem.judged pending',
        'ok.judged recovering',
        'problem.judged pending',
        'ok.judged recovering',
        'flapping.counted recovering',
      ],
    )
    t.match(await kindsOf(world, id), ['pending', 'recovering', 'pending', 'recovering', 'problem'])
  },
)

t.test('message about flapping is held during maintenance, and the incident is confirmed (v3 4.14, 6.7)', async t => {
  const world = await setStage(document())
  const { id } = await create(world)
  await live(world, id, 'po')
  await world.command(id, { kind: 'set-maintenance', minutes: 60, by: 'Ada' } as never)
  await live(world, id, 'po')
  t.match(await world.incidents(id), [{ confirmedAt: Number }])
  t.strictSame(
    (await toldOf(world, id)).map(({ kind, held }) => [kind, held]),
    [
      ['opened', null],
      ['problem', 'maintenance'],
    ],
  )
  t.strictSame(await replayFaults(world, id), [])
})

t.test('another keeper goes on with the count of the first one (v3 4.14)', async t => {
  const world = createWorld()
  await publish(world, readManifest(document(), nothing))
  const first = await world.startOne({ exclusive: true })
  const { id } = await create(world)
  await live(world, id, 'pop')
  t.equal((await world.subject(id))?.rules[0]?.changes?.length, 3, 'stored with the rule')
  world.hub.cut(first.bus)
  await world.startOne({ keeperId: 'successor' })
  await world.clock.advance(20_000)
  await live(world, id, 'o')
  t.match(await world.incidents(id), [{ confirmedAt: Number, closedAt: null }])
})

t.test('rule that counts no changes stores nothing about them (v3 4.14)', async t => {
  const world = await setStage(document({ confirm_after: 600, recover_after: 120 }))
  const { id } = await create(world)
  await live(world, id, 'pop')
  t.notOk('changes' in ((await world.subject(id))?.rules[0] ?? {}))
  t.notOk('isFlapping' in ((await world.subject(id))?.rules[0]?.verdict ?? {}))
})

t.test('rebind begins the count anew (v3 4.14, 6.5)', async t => {
  const world = await setStage(document())
  await publish(world, readManifest(document(usual, 2), nothing))
  const { id } = await create(world)
  await live(world, id, 'pop')
  await world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template: 'host@2', answers: {} } as never)
  await live(world, id, '.op')
  const open = (await world.incidents(id)).filter(({ closedAt }) => closedAt === null)
  t.match(open, [{ confirmedAt: null }], 'three changes since the rebind')
  await live(world, id, '.o')
  t.match(
    (await world.incidents(id)).filter(({ closedAt }) => closedAt === null),
    [{ confirmedAt: Number }],
  )
})

t.test('preview counts no change before its first Observation (v3 4.14, 3.11)', t => {
  const decision = { any: [failing, { not: { signal: 'probe', field: 'known' } }] }
  const { rules, ...rest } = document()
  const template = readManifest({ ...rest, rules: rules.map(rule => ({ ...rule, decision })) }, nothing)
  const observations = [...'popo'].map((letter, i) => ({
    ...{ signal: 'probe', state: letter === 'p' ? ('problem' as const) : ('ok' as const), atUs: i * minute * 1_000 },
    ...{ signalKind: null, sentId: null, value: null, reason: '', labels: {}, body: null },
  }))
  const run = runPreview({ template, answers: {}, observations, atUs: null }, 0)
  let step = run.next()
  while (!step.done) step = run.next()
  t.match(step.value, [{ incidents: [{ openedAt: 0, confirmedAt: 3 * minute, closedAt: null }] }])
  t.end()
})

t.test('generated lives agree with a walk over all changes (v3 4.14)', async t => {
  const random = new Random(1, 'flapping')
  let confirmed = 0
  for (let life = 0; life < 12; life++) {
    const flapping = { changes: random.integer(3, 6), within_seconds: random.pick([180, 300, 900]) }
    const counted = { changes: flapping.changes, withinSeconds: flapping.within_seconds }
    const world = await setStage(document({ confirm_after: 86_400, recover_after: random.pick([60, 240]), flapping }))
    const { id } = await create(world)
    const begin = world.clock.now()
    const changes: number[] = []
    let verdict = 'ok'
    for (let i = 0; i < 60; i++) {
      await world.clock.advance(random.pick([1, 1, 2, 7]) * minute - 1)
      const state = random.pick(['ok', 'problem', 'problem', 'no_data'])
      const at = world.clock.now()
      await observe(world, id, { signal: 'probe', state })
      const rule = await ruleOf(world, id, 'down')
      if (state !== 'no_data' && state !== verdict) {
        changes.push(at)
        verdict = state
      }
      const isFlapping = naiveFlapping(changes, at, counted)
      if (rule?.explanation?.includes('changed') !== isFlapping) t.fail(`life ${life}, report ${i}: ${rule?.explanation}`)
      const open = (await world.incidents(id)).find(({ closedAt }) => closedAt === null)
      if (isFlapping && open?.confirmedAt == null) t.fail(`life ${life}, report ${i}: flapping, and nothing is confirmed`)
      if (
        !isFlapping &&
        open?.confirmedAt != null &&
        !changes.some(one => one >= open.troubleSince && naiveFlapping(changes, one, counted))
      )
        t.fail(`life ${life}, report ${i}: confirmed without flapping`)
    }
    for (const { confirmedAt, closedAt, wellSince } of await world.incidents(id)) {
      if (confirmedAt !== null) confirmed += 1
      if (closedAt === null || confirmedAt === null || wellSince === null) continue
      const records = (await world.history(id)).filter(({ event }) => event.type === 'recovery.elapsed')
      const end = records.find(({ at }) => at === closedAt)?.event.at ?? 0
      t.ok(end >= naiveFlappingEnd(changes, wellSince, counted), `closed ${end - begin}`)
    }
    t.strictSame(await replayFaults(world, id), [])
    await read(world, id)
  }
  t.ok(confirmed > 8, `${confirmed} confirmed`)
})
