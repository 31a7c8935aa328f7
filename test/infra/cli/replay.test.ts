// Replay: an incident is rebuilt from its records and must equal the stored incident. Also tests the drawings of the machines.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { machines, mermaid, statelyJson } from '#machines/drawings.ts'
import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { createWorld, minute } from '../../keeper/world.ts'
import { runProgram } from '../run-program.ts'

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

t.test('replay rebuilds an incident from its records alone, step by step', async t => {
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

t.test('record of a closing has the instant of the recovery, and every other record has the instant of its event', async t => {
  const { history } = await livedThrough()
  const [, , , , recovery] = history
  t.strictSame(
    history.map(({ event, at }) => [event.type, at]),
    history.map(({ event }) => [event.type, event.type === 'recovery.elapsed' ? recovery?.event.at : event.at]),
  )
})

t.test('replay fails when the records do not lead to the stored incident', async t => {
  const { incident, history } = await livedThrough()
  const at = (i: number) => history[i] as HistoryDocument
  const tampered: [string, IncidentDocument, HistoryDocument[], RegExp][] = [
    ['no records', incident, [], /there is no record/],
    ['a record is missing', incident, history.filter((_, i) => i !== 2), /record is missing/],
    ['a recorded state was changed', incident, history.with(1, { ...at(1), state: 'noData' }), /recorded state noData/],
    [
      'a recorded deadline was changed',
      incident,
      history.with(2, { ...at(2), deadlineAt: 1 }),
      /recorded deadline 1970-01-01T00:00:00\.001Z, the machine says \d{4}-\d\d-\d\dT/,
    ],
    [
      'an event was changed',
      incident,
      history.with(2, { ...at(2), event: { type: 'ok.judged', at: 5 } }),
      /well_?since|deadline/i,
    ],
    ['made by another version', incident, history.with(0, { ...at(0), version: 999 }), /version 999/],
    [
      'the stored incident was changed',
      { ...incident, closedAt: 7 },
      history,
      /has closedAt 1970-01-01T00:00:00\.007Z, its records lead to \d{4}-\d\d-\d\dT/,
    ],
    ['somebody acknowledged it in the store alone', { ...incident, acknowledgedBy: 'Eve' }, history, /acknowledgedBy Eve/],
  ]
  for (const [title, stored, records, expected] of tampered) {
    const { faults } = replayIncident(stored, records)
    t.match(faults.join('\n'), expected, title)
  }
})

/**
 * Creates an incident with a confirmed problem. The last record of the incident says that the delays of its rule have changed. Also returns
 * the state of the incident that is stored in its subject.
 */
async function livingOn(): Promise<{ incident: IncidentDocument; history: HistoryDocument[]; held: HeldIncident }> {
  const world = createWorld()
  const keeper = await world.startOne({ exclusive: true })
  const id = await world.create({ confirm_after: null, recover_after: 60 })
  for (const ok of [false, false, false, false]) {
    await world.report(id, ok)
    await world.clock.advance(minute)
  }
  const [opened] = await world.incidents(id)
  const acknowledged = { kind: 'acknowledge-incident', incidentId: opened?.id, by: 'Ada', via: 'api' }
  await world.command(id, acknowledged as never)
  // The incident uses the confirmation delay of the installation, so a start with another delay replaces the delay of the incident.
  await keeper.service.stop()
  await world.startOne({ exclusive: true, confirmAfterMs: 5 * minute })
  for (let i = 0; i < 2; i++) {
    await world.report(id, false)
    await world.clock.advance(minute)
  }
  const [incident] = await world.incidents(id)
  const history = (await world.history(id)).sort((one, other) => one.sequence - other.sequence)
  const rule = (await world.subject(id))?.rules[0]
  const held = { ruleKey: rule?.key, snapshot: rule?.incident, verdict: rule?.verdict } as HeldIncident
  return { incident: incident as IncidentDocument, history, held }
}

t.test('replay fails when any field of a record, its event or the stored incident is altered', async t => {
  const { incident, history } = await livedThrough()
  const faultsOf = (stored: IncidentDocument, records: HistoryDocument[]) => replayIncident(stored, records, null).faults
  t.strictSame(faultsOf(incident, history), [])
  for (const [i, record] of history.entries()) {
    const altered = (change: object) => history.with(i, { ...record, ...change } as HistoryDocument)
    const [input] = record.evidence?.inputs ?? []
    const evidenceOf = (change: object) => ({ evidence: { ...record.evidence, inputs: [{ ...input, ...change }] } })
    const changes: Record<string, object> = {
      ...Object.fromEntries(Object.entries(record).map(([field, value]) => [field, { [field]: another(value) }])),
      'no evidence': { evidence: null },
      'no inputs': { evidence: { ...record.evidence, inputs: [] } },
      'an input that is none': { evidence: { ...record.evidence, inputs: [null] } },
      'another value': evidenceOf({ value: input?.value === 'ok' ? 'problem' : 'ok' }),
      'an ok input with a reason, or a silent one': evidenceOf({ at: null, reason: 'why' }),
      'other omissions': { evidence: { ...record.evidence, truncated: true } },
      ...Object.fromEntries(
        Object.entries(record.event).map(([field, value]) => [
          `event.${field}`,
          { event: { ...record.event, [field]: another(value) } },
        ]),
      ),
      'a strange field in the event': { event: { ...record.event, colour: 'red' } },
    }
    for (const [title, change] of Object.entries(changes))
      t.not(faultsOf(incident, altered(change)).length, 0, `record ${record.sequence} (${record.event.type}): ${title}`)
  }
  const undetermined = ['rev', 'workspaceId', 'resourceKey', 'rule', 'ruleShown', 'action']
  for (const [field, value] of Object.entries(incident).filter(([field]) => !undetermined.includes(field)))
    t.not(faultsOf({ ...incident, [field]: another(value) }, history).length, 0, `stored ${field}`)
  const silent = { ...incident, evidence: { ...incident.evidence, inputs: [] } }
  t.match(faultsOf(silent, history).join(), /not those of its last record/)
})

t.test('replay names a record that was removed, added or copied from another incident', async t => {
  const { incident, history } = await livedThrough()
  const last = history.at(-1) as HistoryDocument
  const more = (event: HistoryDocument['event']) => [
    ...history,
    { ...last, id: `${incident.id}.${last.sequence + 1}`, sequence: last.sequence + 1, event },
  ]
  const tampered: [string, HistoryDocument[], RegExp][] = [
    ['the last one dropped', history.slice(0, -1), /has open 0, its records lead to 1/],
    ['an unknown event added', more({ type: 'moon.rose', at: last.at }), /no incident knows the event moon\.rose/],
    ['the closing doubled', more(last.event), /the machine accepts no recovery\.elapsed in state closed/],
    [
      'taken on after the closing',
      more({ type: 'incident.acknowledged', at: last.event.at, by: 'Eve', via: 'api' }),
      /the machine accepts no incident\.acknowledged in state closed/,
    ],
    [
      'one of another incident',
      history.with(2, { ...(history[2] as HistoryDocument), incidentId: 'other.1' }),
      /to incident other\.1/,
    ],
    [
      'an opening without holds',
      history.with(0, { ...(history[0] as HistoryDocument), event: { type: 'problem.judged', at: 1 } }),
      /wrong/,
    ],
  ]
  for (const [title, records, expected] of tampered)
    t.match(replayIncident(incident, records, null).faults.join('\n'), expected, title)
})

t.test('stored open incident equals the state in its subject, with delays, acknowledgement and messages', async t => {
  const { incident, history, held } = await livingOn()
  const last = history.at(-1) as HistoryDocument
  t.strictSame(
    history.map(entry => entry.kind),
    ['pending', 'problem', 'acknowledged', 'policy replaced'],
  )
  t.strictSame(replayIncident(incident, history, held).faults, [])
  t.strictSame(replayIncident(incident, history).faults, [], 'nor is there a fault where nobody looked at the subject')
  const event = (change: object) => history.with(-1, { ...last, event: { ...last.event, ...change } })
  const tampered: [string, IncidentDocument, HistoryDocument[], HeldIncident | null, RegExp][] = [
    ['the replaced holds dropped', incident, history.slice(0, -1), held, /with transitions 4, its records lead to 3/],
    ['its confirm hold altered', incident, event({ confirmAfterMs: 7 }), held, /confirmAfterMs 300000, its records lead to 7/],
    ['its close hold altered', incident, event({ closeAfterMs: 7 }), held, /closeAfterMs 60000, its records lead to 7/],
    ['in no subject', incident, history, null, /no subject has it/],
    ['held by another rule', incident, history, { ...held, ruleKey: 'r9' }, /rule r9 has/],
    ['messages counted otherwise', incident, history, { ...held, snapshot: { ...held.snapshot, alerts: 9 } }, /alerts 9/],
    ['another explanation', { ...incident, explanation: 'all is well' }, history, held, /not those of the verdict of its rule/],
    ['another cause', { ...incident, cause: { ...incident.cause, at: 7 } as never }, history, held, /with another cause/],
    [
      'another explanation, and nobody looked',
      { ...incident, explanation: 'all is well' },
      history,
      undefined as never,
      /any verdict/,
    ],
  ]
  for (const [title, stored, records, holding, expected] of tampered)
    t.match(replayIncident(stored, records, holding).faults.join('\n'), expected, title)
})

/** Returns a different value of the same type. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value === 1 ? 0 : value + 1
  if (value === null) return 5
  return typeof value === 'object' ? {} : `${String(value)} altered`
}

t.test('label of an arrow names the actions of its transition and the entry actions of its target, not assignments', async t => {
  const incident = mermaid(machines['incident'] as never)
  t.match(incident, 'recovering --> closed: recovery.elapsed [isAnnounced] / record closed, announce recovery\n')
  t.match(incident, 'pending --> problem: hold.elapsed [isProblem] / record problem, announce\n')
  t.notMatch(incident, /armReminder|beginTrouble|noteTold/)
  t.match(mermaid(machines['delivery'] as never), 'sending --> delivered: attempt.delivered / logAttempt, startNext\n')
  t.match(mermaid(machines['maintenance'] as never), 'running --> running: end.moved\n')
})

t.test('exported machine keeps every guard in the Stately editor', async t => {
  for (const [name, machine] of Object.entries(machines)) {
    const guards = (text: string) => text.match(/"guard":/g)?.length ?? 0
    const named = JSON.stringify(machine.config, (key, value) => (key === 'guard' ? 'named' : value))
    t.equal(guards(statelyJson(machine)), guards(named), name)
  }
})

t.test('drawing of a machine has each state and event', async t => {
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

t.test('drawings are written to a folder, and a failed write is reported by an error message', { timeout: 400_000 }, async t => {
  const folder = join(t.testdir(), 'new', 'drawings')
  const draw = (...args: string[]) => runProgram(t, ['machines', ...args]).ended
  for (let i = 0; i < 2; i++) t.match(await draw('incident', '--out', folder), { code: 0, stderr: '' })
  t.strictSame(readdirSync(folder).sort(), ['incident.json', 'incident.mmd'])
  t.match(await draw('--out', '/proc/nope'), {
    code: 1,
    stderr: /^The folder \/proc\/nope can't be written \(\w+\): correct --out\.\n$/,
  })
  t.match(await draw('--out', ''), { code: 2, stderr: '--out needs the name of a folder.\n' })
})
