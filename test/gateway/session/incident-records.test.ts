// The records of an incident, the inspection messages made from the records, and the state machines as files. Over real HTTP in virtual
// time.
import t from 'tap'
import type { IncidentRecordsPage } from '#shared/contracts/session/session-incidents.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../../support/worlds/whole-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

/** Creates a failing monitor and returns the id of its open incident. */
async function failing(name: string): Promise<{ id: string; incident: string }> {
  const id = await world.addMonitor(name)
  await world.report(id, 'aaaa', true)
  await world.clock.advance(1_000)
  await world.report(id, 'aaaa', false)
  const { json } = await world.viewer.send('GET', `/api/v3/workspaces/${world.workspaceId}/monitors?search=${name}`)
  return { id, incident: json.result[0].incident.id }
}

const records = async (incident: string, query = ''): Promise<IncidentRecordsPage> =>
  (await world.viewer.send('GET', `/session/incidents/${incident}/records${query}`)).json

t.test('records show an incident from opening to closing with evidence, next deadline and next message', async t => {
  const { id, incident } = await failing('shop')
  const opened = await records(incident)
  t.match(opened, { workspace_id: world.workspaceId, monitor_id: id, rule_name: 'Reachability', more: false })
  t.match(opened.records, [{ sequence: 1, event: 'problem.judged', state: 'pending', condition: 'problem' }])
  t.match(opened.records[0]?.evidence?.inputs, [{ signal: /^reachability@/, status: 'problem' }])
  t.strictSame(opened.locations, { aaaa: 'de' })
  t.match(opened.outlook, {
    by_time: { event: 'hold.elapsed', to: 'problem', announces: 'problem', reminder: false, held: false },
    by_report: [{ event: 'no_data.judged' }, { event: 'ok.judged', to: 'recovering' }],
  })
  t.equal(opened.outlook?.by_time?.at, opened.records[0]?.deadline_at)
  await world.clock.advance(confirmMs)
  t.match((await records(incident)).outlook?.by_time, { event: 'reminder.due', announces: 'problem', reminder: true })
  await world.report(id, 'aaaa', true)
  await world.clock.advance(closeMs)
  const closed = await records(incident, '?after=1')
  t.same(
    closed.records.map(({ sequence, state }) => [sequence, state]),
    [
      [2, 'problem'],
      [3, 'recovering'],
      [4, 'closed'],
    ],
  )
  t.equal(closed.outlook, null)
  const last = closed.records.at(-1)
  t.ok(Date.parse(last?.at ?? '') < Date.parse(last?.event_at ?? ''), 'the closing is dated back to the recovery')
})

t.test('rule of a Template with the key of the built-in rule keeps its own name', async t => {
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const rule = { key: 'availability', action: 'Read the log.', wait: { confirm_after: 0, recover_after: 0 } }
  const decision = { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' }
  const signals = [{ key: 'run', kind: 'event' }]
  const body = { key: 'nightly', version: 1, name: 'Nightly job', signals, rules: [{ ...rule, decision }] }
  await world.owner.send('POST', `${v3}/templates`, { body })
  await world.owner.send('POST', `${v3}/resources`, { body: { template: 'nightly@1', key: 'db1', name: 'Backup of db1' } })
  await world.owner.send('POST', `${v3}/resources/db1/observations`, { body: { signal: 'run', state: 'problem' } })
  const { json } = await world.owner.send('GET', `${v3}/incidents?resource=db1`)
  t.match(json.result, [{ rule: 'availability' }])
  t.match(await records(json.result[0].id), { rule_name: 'availability' })
})

t.test('next message is shown as withheld while a maintenance window runs', async t => {
  const { id, incident } = await failing('held')
  const ends_at = new Date(world.clock.now() + 2 * confirmMs).toISOString()
  await world.editor.send('POST', `/session/subjects/${id}/maintenance`, { body: { ends_at } })
  t.match((await records(incident)).outlook?.by_time, { event: 'hold.elapsed', announces: 'problem', held: true })
})

t.test('inspection messages announce the actor once, then give the event and snapshot of each record', async t => {
  const { incident } = await failing('mail')
  const { json } = await world.viewer.send('GET', `/session/incidents/${incident}/inspection`)
  t.match(json, {
    messages: [
      { type: '@xstate.actor', sessionId: incident, name: 'incident', snapshot: { value: 'pending' } },
      { type: '@xstate.event', event: { type: 'problem.judged' } },
      { type: '@xstate.snapshot', snapshot: { status: 'active', value: 'pending' } },
    ],
    more: false,
  })
  const later = await world.viewer.send('GET', `/session/incidents/${incident}/inspection?after=1`)
  t.same(later.json.messages, [])
})

const refused: [name: string, path: string, as: 'viewer' | 'stranger', status: number][] = [
  ['a member of another workspace', '/session/incidents/OPEN/records', 'stranger', 404],
  ['a member of another workspace', '/session/incidents/OPEN/inspection', 'stranger', 404],
  ['an unknown incident', '/session/incidents/unknown000/records', 'viewer', 404],
  ['an `after` below 0', '/session/incidents/OPEN/records?after=-1', 'viewer', 422],
  ['an `after` above its bound', '/session/incidents/OPEN/records?after=1000001', 'viewer', 422],
  ['an `after` that is no number', '/session/incidents/OPEN/records?after=x', 'viewer', 422],
  ['an unknown parameter', '/session/incidents/OPEN/records?before=1', 'viewer', 422],
  ['an unknown machine', '/session/machines/unknown/json', 'viewer', 404],
  ['a name that every object has', '/session/machines/constructor/json', 'viewer', 404],
  ['an unknown form', '/session/machines/incident/svg', 'viewer', 404],
]

t.test('malformed request is refused', async t => {
  const { incident } = await failing('refused')
  for (const [name, path, as, status] of refused) {
    const shown = await world[as].send('GET', path.replace('OPEN', incident))
    t.equal(shown.status, status, `${name}: ${path}: ${shown.text}`)
  }
  const bound = await world.viewer.send('GET', `/session/incidents/${incident}/records?after=1000000`)
  t.match(bound, { status: 200, json: { records: [] } })
})

t.test('machine is returned as source, JSON and diagram', async t => {
  for (const machine of ['incident', 'maintenance', 'delivery']) {
    const get = async (form: string) => (await world.viewer.send('GET', `/session/machines/${machine}/${form}`)).json
    t.match(await get('source'), { name: `${machine}.ts`, text: /createMachine/ })
    t.match(JSON.parse((await get('json')).text), { id: machine })
    t.match(await get('mermaid'), { name: `${machine}.mmd`, text: /^stateDiagram-v2/ })
  }
})
