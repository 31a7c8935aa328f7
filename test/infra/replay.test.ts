// Replay: an incident rebuilt from its records, which must lead to what is stored; and the drawings of the machines.
import t from 'tap'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import { machines, mermaid, statelyJson } from '../../infra/machines/drawings.ts'
import { replayIncident } from '../../infra/replay/replay-incident.ts'
import { createWorld, minute } from '../keeper/world.ts'

async function livedThrough(): Promise<{ incident: IncidentDocument; history: HistoryDocument[] }> {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create({ confirm_after: 60, recover_after: 120 })
  for (const ok of [false, false, true, false, true, true, true, true, true]) {
    await world.report(id, ok)
    await world.clock.advance(minute)
  }
  const [incident] = await world.incidents(id)
  const history = await world.history(id)
  return { incident: incident as IncidentDocument, history: history.sort((one, other) => one.sequence - other.sequence) }
}

t.test('an incident is rebuilt from its records alone, step by step', async t => {
  const { incident, history } = await livedThrough()
  const { steps, faults } = replayIncident(incident, history)
  t.strictSame(faults, [])
  t.strictSame(
    steps.map(step => step.kind),
    ['pending', 'problem', 'recovering', 'problem', 'recovering', 'closed'],
  )
  t.match(steps[1], { state: 'problem', event: { type: 'hold.elapsed' }, explanation: '1 of 1 location failing' })
  t.equal(incident.status, 'ok')
})

t.test('replay fails loudly where the records do not lead to what is stored', async t => {
  const { incident, history } = await livedThrough()
  const at = (i: number) => history[i] as HistoryDocument
  const tampered: [string, IncidentDocument, HistoryDocument[], RegExp][] = [
    ['no records', incident, [], /there is no record/],
    ['a record is missing', incident, history.filter((_, i) => i !== 2), /record is missing/],
    ['a recorded state was changed', incident, history.with(1, { ...at(1), state: 'noData' }), /recorded state noData/],
    ['a recorded deadline was changed', incident, history.with(2, { ...at(2), deadlineAt: 1 }), /recorded deadline 1/],
    [
      'an event was changed',
      incident,
      history.with(2, { ...at(2), event: { type: 'ok.judged', at: 5 } }),
      /well_?since|deadline/i,
    ],
    ['made by another version', incident, history.with(0, { ...at(0), version: 999 }), /version 999/],
    ['the stored incident was changed', { ...incident, closedAt: 7 }, history, /has closedAt 7/],
    ['somebody acknowledged it in the store alone', { ...incident, acknowledgedBy: 'Eve' }, history, /acknowledgedBy Eve/],
  ]
  for (const [title, stored, records, expected] of tampered) {
    const { faults } = replayIncident(stored, records)
    t.match(faults.join('\n'), expected, title)
  }
})

t.test('every machine is drawn whole: each of its states and events', async t => {
  for (const [name, machine] of Object.entries(machines)) {
    const drawing = mermaid(machine)
    t.match(drawing, /^stateDiagram-v2\n {2}\[\*\] --> /, name)
    for (const state of Object.keys(machine.states)) t.match(drawing, new RegExp(`\\b${state}\\b`), `${name}: ${state}`)
    for (const event of machine.events) t.ok(drawing.includes(`: ${event}`), `${name}: ${event}`)
    const json = JSON.parse(statelyJson(machine)) as { id: string; initial: string; states: object }
    t.strictSame(Object.keys(json.states), Object.keys(machine.states), `${name}: the Stately form has all states`)
    t.equal(json.initial in json.states, true)
  }
})
