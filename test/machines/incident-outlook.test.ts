// Outlook of an open incident (the next change that time or reports would cause), and its records as messages of the inspection protocol.
import t from 'tap'
import { incidentMachine } from '#machines/incident.ts'
import { type InspectedEntry, inspectionOf } from '#machines/incident-inspection.ts'
import { incidentOutlook } from '#machines/incident-outlook.ts'
import type { IncidentEvent, IncidentInput } from '#machines/incident-types.ts'
import { initialTransition, transition } from '#machines/transition.ts'
import type { IncidentState } from '#shared/contracts/incidents/incident.ts'

const input: IncidentInput = {
  ...{ incidentId: 'i', ruleKey: 'r', at: 0, condition: 'problem' },
  ...{ confirmAfterMs: 60_000, closeAfterMs: 30_000 },
}
const reminderMs = 4 * 3_600_000

/** Returns the incident after these events, opened with `input`. */
function after(...events: IncidentEvent[]) {
  const [first] = initialTransition(incidentMachine, input)
  const { value, context } = events.reduce((state, event) => transition(incidentMachine, state, event)[0], first)
  return { value: value as IncidentState, context }
}

const confirmed: IncidentEvent = { type: 'hold.elapsed', at: 60_000 }
const recovered: IncidentEvent = { type: 'ok.judged', at: 90_000 }
const acknowledged: IncidentEvent = { type: 'incident.acknowledged', at: 70_000, by: 'ada', via: 'api' }

const cases = [
  { name: 'pending is confirmed at the end of its delay', events: [], byTime: ['hold.elapsed', 60_000, 'problem'] },
  { name: 'a confirmed problem is reminded of', events: [confirmed], byTime: ['reminder.due', 60_000 + reminderMs, 'problem'] },
  { name: 'an acknowledged problem waits for nothing', events: [confirmed, acknowledged], byTime: null },
  { name: 'recovering closes', events: [confirmed, recovered], byTime: ['recovery.elapsed', 120_000, 'closed'] },
  { name: 'a hold that stands still comes to no end', events: [{ type: 'unknown.judged', at: 10_000 }], byTime: null },
] as { name: string; events: IncidentEvent[]; byTime: [string, number, string] | null }[]

for (const { name, events, byTime } of cases)
  t.test(`outlook by time names the next event, its instant and the next state: ${name}`, async t => {
    const { byTime: found } = incidentOutlook(after(...events), 100_000, null)
    t.same(found && [found.event, found.at, found.to], byTime)
  })

t.test('outlook lists each verdict by which the next report would change the incident, with the effects', async t => {
  const { byReport } = incidentOutlook(after(confirmed, recovered), 100_000, null)
  t.same(
    byReport.map(({ event, to }) => `${event} -> ${to}`),
    ['problem.judged -> problem', 'no_data.judged -> noData'],
  )
  t.notOk(
    byReport.some(({ orders }) => orders.some(({ type }) => type === 'announce')),
    'failing again is no new message',
  )
})

t.test('outlook marks a message as held back when maintenance still runs at its instant', async t => {
  const announced = (mutedTo: number | null) =>
    incidentOutlook(after(), 0, mutedTo).byTime?.orders.find(order => order.type === 'announce')?.params
  t.match(announced(null), { kind: 'problem', held: false })
  t.match(announced(60_001), { kind: 'problem', held: true })
  t.match(announced(60_000), { kind: 'problem', held: false }, 'the end of the window belongs to it no more')
})

t.test('outlook shows the first reminder after a maintenance window', async t => {
  const reminder = 60_000 + reminderMs
  const next = (mutedTo: number) => incidentOutlook(after(confirmed), 100_000, mutedTo).byTime
  t.match(next(reminder), { event: 'reminder.due', at: reminder })
  t.match(next(reminder + 1), { event: 'reminder.due', at: reminder + reminderMs, orders: [{ type: 'announce' }, {}] })
})

t.test('inspection opens the actor once, then sends each record as event and snapshot', async t => {
  const entry = (sequence: number, type: string, state: string): InspectedEntry => ({
    ...{ sequence, at: sequence, event: { type, at: sequence }, state },
    ...{ deadlineAt: null, condition: 'problem', explanation: '1 of 1 inputs failing' },
  })
  const records = [entry(1, 'problem.judged', 'pending'), entry(2, 'hold.elapsed', 'problem'), entry(3, 'rule.removed', 'closed')]
  const messages = [...inspectionOf('abc', records)]
  t.same(
    messages.map(({ type }) => type),
    ['@xstate.actor', ...records.flatMap(() => ['@xstate.event', '@xstate.snapshot'])],
  )
  t.ok(messages.every(({ _version, createdAt, sessionId }) => _version && typeof createdAt === 'string' && sessionId === 'abc'))
  t.match(JSON.parse(String(messages[0]?.['definition'])), { id: 'incident', initial: 'pending' })
  t.match(messages.at(-1), { snapshot: { status: 'done', value: 'closed' } })
  t.equal([...inspectionOf('abc', records.slice(1))][0]?.type, '@xstate.event', 'later records open no second actor')
})
