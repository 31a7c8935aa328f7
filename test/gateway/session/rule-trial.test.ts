// Trials of rules over real HTTP, by the real keeper in virtual time. A trial returns the verdict that the rule would have if it were
// saved, and stores nothing.
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import { limits } from '#shared/limits/limits.ts'
import { ReadingWatch } from '../../../services/keeper/round/reading-watch.ts'
import type { Input } from '../../../services/keeper/step/types.ts'
import { readEvents } from '../../support/clients/event-stream.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { startDashboardWorld } from '../../support/worlds/dashboard-world.ts'

const world = await startDashboardWorld()
t.teardown(() => world.stop())
const { editor, viewer, stranger, workspaceId } = world
const inWorkspace = `?workspace_id=${workspaceId}`

const v2 = async (method: 'GET' | 'POST', path: string, body?: object) => {
  const { json } = await editor.send(method, `/session/v2${path}${inWorkspace}`, body ? { body } : {})
  if (json.error !== null) throw new Error(json.error.details)
  return json.result
}

/** Creates a custom subject with a heartbeat `beat` and an event `deploy`; returns its slug. */
async function custom(name: string): Promise<string> {
  const { id } = await v2('POST', '/subjects', { workspace_id: workspaceId, name })
  await v2('POST', `/subjects/${id}/signals`, { name: 'Beat', kind: 'heartbeat' })
  await v2('POST', `/subjects/${id}/signals`, { name: 'Deploy', kind: 'event' })
  return id
}

const report = (subject: string, signal: string, body: object) =>
  v2('POST', `/subjects/${subject}/signals/${signal}/observations`, body)
const on = (signal: string, over: object = {}) => ({ inputs: [{ signal, mode: 'status', ...over }], decision: { need: 'any' } })
const tryIt = (subject: string, body: object, who = editor) =>
  who.send('POST', `/session/subjects/${subject}/rules/trial${inWorkspace}`, { body })

t.test('trial stores no rule, incident, message or audit row', async t => {
  const subject = await custom('Quiet')
  await report(subject, 'beat', { status: 'problem' })
  await world.clock.advance(2_000)
  const before = await world.dump()
  for (let i = 0; i < 3; i++)
    t.equal((await tryIt(subject, { document: { ...on('beat'), wait: { confirm_after: '0s' } } })).status, 200)
  await world.clock.advance(2_000)
  const sent = { workspace_id: workspaceId, template: '{{ summary }}' }
  await v2('POST', '/notifications/transformations/preview', sent)
  await world.clock.advance(2_000)
  t.ok((await world.dump()) === before, 'every collection is as it was')
})

t.test('trial returns the verdict of the saved rule with the readings of its signals', async t => {
  const subject = await custom('Queue')
  await report(subject, 'beat', { status: 'problem', value: 97.5, error: 'disk full' })
  await world.clock.advance(4_000)
  const document = on('beat', { no_data_after: '1m' })
  const { status, json } = await tryIt(subject, { document: { ...document, wait: { confirm_after: '30s' } } })
  t.equal(status, 200)
  t.match(json, {
    verdict: 'problem',
    explanation: '1 of 1 input failing (beat)',
    inputs: [{ input: 'beat', state: 'problem', waited_for: false, value: 97.5, reason: 'disk full' }],
    open_now: false,
    incident: { state: 'pending', by_time: { event: 'hold.elapsed', to: 'problem', announces: 'problem', held: false } },
  })
  t.equal(Date.parse(json.at) - Date.parse(json.inputs[0].at), 4_000)
  t.equal(Date.parse(json.incident.by_time.at) - Date.parse(json.at), 30_000)
  t.equal(Date.parse(json.inputs[0].changes_at) - Date.parse(json.inputs[0].at), 60_001)
  await v2('POST', `/subjects/${subject}/rules`, { name: 'Full', document: { ...document, wait: { confirm_after: '30s' } } })
  const [incident] = await v2('GET', `/subjects/${subject}/incidents`)
  t.match(incident, { rule_id: 'full', status: 'pending' })
})

t.test('trial names missing signals, and an event that never reported counts as ok', async t => {
  const subject = await custom('Young')
  const waits = await tryIt(subject, { document: on('beat', { no_data_after: '10m' }) })
  t.match(waits.json, { verdict: 'not_judged', incident: null, inputs: [{ state: 'unknown', waited_for: true, at: null }] })
  t.equal(Date.parse(waits.json.inputs[0].changes_at) - Date.parse(waits.json.at), 600_001)
  const event = await tryIt(subject, { document: on('deploy') })
  t.match(event.json, { verdict: 'ok', incident: null, inputs: [{ state: 'ok', at: null, value: null, changes_at: null }] })
})

t.test('trial that replaces a rule continues the open incident of the rule, and a trial can read other rules', async t => {
  const subject = await custom('Replaced')
  await report(subject, 'beat', { status: 'problem', value: 5 })
  await v2('POST', `/subjects/${subject}/rules`, { name: 'Failing', document: on('beat') })
  await world.clock.advance(121_000)
  const number = { inputs: [{ signal: 'beat', mode: 'latest_value', compare: '>', threshold: 9 }], decision: { need: 'any' } }
  const milder = await tryIt(subject, { rule: 'failing', document: number })
  t.match(milder.json, {
    verdict: 'ok',
    open_now: true,
    incident: { state: 'recovering', by_time: { event: 'recovery.elapsed', announces: 'recovery' } },
  })
  const reads = await tryIt(subject, { document: { inputs: [{ from: 'failing' }], decision: { need: 'any' } } })
  t.match(reads.json, { verdict: 'problem', open_now: false, inputs: [{ input: 'rule failing', state: 'problem', at: null }] })
})

t.test('trial of a website monitor reads its checks and does not convert the monitor', async t => {
  const id = await world.addMonitor('Slow')
  await world.report(id, 'aaaa', true)
  const { resource } = (await editor.send('GET', `/session/monitors/${id}`)).json
  const document = {
    inputs: [{ signal: resource.key, mode: 'latest_value', compare: '>', threshold: 1 }],
    decision: { need: 'any' },
  }
  const { json } = await editor.send('POST', `/session/subjects/${id}/rules/trial`, { body: { document } })
  t.match(json, { verdict: 'problem', inputs: [{ input: resource.key, value: 3 }] })
  t.equal((await editor.send('GET', `/session/monitors/${id}`)).json.kind, 'website')
})

/** Collects the subject ids of all messages about readings on the bus from now on. */
async function readings(): Promise<string[]> {
  const heard: string[] = []
  const subscription = await world.bus.subscribe(subjects.statesOf(workspaceId), ({ body }) => {
    const news = body as News
    if (news.kind === 'reading') heard.push(news.id)
  })
  t.teardown(() => subscription.close())
  return heard
}

t.test('readings are sent as events for a minute after a trial of their subject, once a second at most', async t => {
  const subject = await custom('Watched')
  const { id } = (await editor.send('GET', `/api/v3/workspaces/${workspaceId}/resources/${subject}`)).json.result
  const other = await custom('Unwatched')
  const heard = await readings()
  const stream = await readEvents(world.address, viewer, `/api/v3/workspaces/${workspaceId}/events`)
  t.teardown(() => stream.close())
  await report(subject, 'beat', { status: 'ok' })
  await world.clock.advance(2_000)
  t.same(heard, [], 'nobody watches')
  await tryIt(subject, { document: on('beat') }, viewer)
  t.same(heard, [], 'a trial is no reading')
  for (let value = 0; value < 20; value++) await report(subject, 'deploy', { status: 'ok', value })
  await report(other, 'deploy', { status: 'ok' })
  await world.clock.settle()
  t.same(heard, [id], 'the first is said at once')
  await world.clock.advance(limits.events.gatherMs)
  t.same((await stream.next(({ event }) => event === 'reading')).data, { monitor: id })
  await world.clock.advance(limits.trial.readingMs)
  t.same(heard, [id, id], 'the others are one')
  await world.clock.advance(10_000)
  t.equal(heard.length, 2)
  await report(subject, 'beat', { status: 'ok' })
  t.equal(heard.length, 3)
  await world.clock.advance(limits.trial.watchMs - 14_000)
  await tryIt(subject, { document: on('beat') }, viewer)
  await world.clock.advance(limits.trial.watchMs - 1)
  await report(subject, 'beat', { status: 'ok' })
  t.equal(heard.length, 4, 'the next trial began the minute anew')
  await world.clock.advance(1_000)
  await report(subject, 'beat', { status: 'ok' })
  await world.clock.advance(2_000)
  t.equal(heard.length, 4, 'the minute is over')
})

t.test('check that differs from its predecessor only in its instant is also sent as a reading', async t => {
  const id = await world.addMonitor('Checked')
  for (let i = 0; i < 2; i++) {
    await world.report(id, 'aaaa', true)
    await world.clock.advance(1_000)
  }
  const heard = await readings()
  const { resource } = (await editor.send('GET', `/session/monitors/${id}`)).json
  await world.report(id, 'aaaa', true)
  await world.clock.advance(1_000)
  t.same(heard, [])
  const body = { document: on(resource.key) }
  t.equal((await editor.send('POST', `/session/subjects/${id}/rules/trial`, { body })).status, 200)
  await world.report(id, 'aaaa', true)
  await world.clock.advance(1_000)
  t.same(heard, [id])
})

t.test('trial names the instant of the next trial: the next change by time alone, or a minute later', async t => {
  const subject = await custom('Timed')
  const afterMs = ({ json }: Awaited<ReturnType<typeof tryIt>>) => Date.parse(json.next_at) - Date.parse(json.at)
  t.equal(afterMs(await tryIt(subject, { document: on('beat') })), limits.trial.watchMs)
  await report(subject, 'beat', { status: 'problem' })
  const silent = await tryIt(subject, { document: on('beat', { no_data_after: '40s' }) })
  t.equal(afterMs(silent), Date.parse(silent.json.inputs[0].changes_at) - Date.parse(silent.json.at))
  const confirmed = { ...on('beat', { no_data_after: '40s' }), wait: { confirm_after: '30s' } }
  t.equal(afterMs(await tryIt(subject, { document: confirmed })), 30_000)
  const ends_at = new Date(world.clock.now() + 20_000).toISOString()
  await editor.send('POST', `/session/subjects/${subject}/maintenance${inWorkspace}`, { body: { ends_at } })
  t.equal(afterMs(await tryIt(subject, { document: confirmed })), 20_000)
})

t.test('keeper sends readings of at most 1,000 subjects with trials, and drops the trial that would end first', async t => {
  const clock = createVirtualClock()
  const heard: string[] = []
  const watch = new ReadingWatch({ clock, bus: { publish: (_to, news) => heard.push((news as { id: string }).id) } })
  t.teardown(() => watch.stop())
  const command = { kind: 'report-observations', id: 'c1', observations: [] } as const
  const input: Input = { kind: 'command', subjectId: 'any', at: 0, command: { ...command, observations: [] } }
  const draft = (id: string) => ({ id, waiting: [{ input }] })
  const count = limits.trial.watchedSubjects
  for (let n = 0; n <= count; n++) watch.watch({ id: `s${n}`, workspaceId })
  t.equal(watch.size, count)
  watch.heed([draft('s0'), draft('s1'), draft(`s${count}`)])
  t.same(heard, ['s1', `s${count}`])
  watch.heed([draft('s1')])
  await clock.advance(limits.trial.watchMs)
  t.same(heard.slice(2), ['s1'])
  watch.heed([])
  t.equal(watch.size, 0)
})

t.test('trial is refused for the faults for which saving is refused, and is not found for strangers', async t => {
  const subject = await custom('Refused')
  const cases: [title: string, body: object, status: number, details: RegExp][] = [
    ['an unknown signal', { document: on('nope') }, 422, /^inputs\[0\]\.signal: the subject has no signal "nope"/],
    [
      'no threshold',
      { document: on('beat', { mode: 'latest_value', compare: '>' }) },
      422,
      /^inputs\[0\]\.threshold is required/,
    ],
    ['no document', {}, 422, /'document' is required/],
    ['another field', { document: on('beat'), name: 'x' }, 400, /name/],
    ['a rule that is not there', { document: on('beat'), rule: 'nope' }, 404, /Rule does not exist/],
    ['no slug', { document: on('beat'), rule: 'a b' }, 404, /Rule does not exist/],
  ]
  for (const [title, body, status, details] of cases) {
    const refused = await tryIt(subject, body)
    t.equal(refused.status, status, title)
    t.match(refused.json.error.details, details, title)
  }
  t.equal((await tryIt(subject, { document: on('beat') }, viewer)).status, 200, 'viewers may ask')
  t.equal((await tryIt(subject, { document: on('beat') }, stranger)).status, 404)
})
