// The maintenance machine: reference/custom-subjects 5 as a table, and every path of its graph.
import t from 'tap'
import { initialTransition, transition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import { type MaintenanceEvent, maintenanceMachine } from '#machines/maintenance.ts'
import type { MaintenanceContext } from '#shared/contracts/incidents/maintenance.ts'

const input = { windowId: 's.w1', at: 100, endsAt: 1_000, by: 'Ann' }

function walk(events: MaintenanceEvent[]): { state: string; context: MaintenanceContext } {
  let [snapshot] = initialTransition(maintenanceMachine, input)
  for (const event of events) [snapshot] = transition(maintenanceMachine, snapshot, event)
  return { state: snapshot.value as string, context: snapshot.context as MaintenanceContext }
}

interface Case {
  title: string
  events: MaintenanceEvent[]
  state: string
  context: Partial<MaintenanceContext>
}

const cases: Case[] = [
  {
    title: 'starts at once, its end is its deadline',
    events: [],
    state: 'running',
    context: { startedAt: 100, deadlineAt: 1_000 },
  },
  {
    title: 'moving the end keeps the window and its start',
    events: [{ type: 'end.moved', at: 200, endsAt: 5_000 }],
    state: 'running',
    context: { windowId: 's.w1', startedAt: 100, endsAt: 5_000, deadlineAt: 5_000, cancelledAt: null },
  },
  {
    title: 'cancelled: ended early, nothing is due any more',
    events: [{ type: 'window.cancelled', at: 300 }],
    state: 'cancelled',
    context: { cancelledAt: 300, endsAt: 1_000, deadlineAt: null },
  },
  {
    title: 'runs out: ended, and never cancelled',
    events: [{ type: 'end.reached', at: 1_000 }],
    state: 'ranOut',
    context: { cancelledAt: null, deadlineAt: null },
  },
  {
    title: 'what has ended is not moved again',
    events: [
      { type: 'window.cancelled', at: 300 },
      { type: 'end.moved', at: 400, endsAt: 9_000 },
    ],
    state: 'cancelled',
    context: { endsAt: 1_000, deadlineAt: null },
  },
]

t.test('maintenance window has the states of the table (reference/custom-subjects 5.4 and 5.5)', async t => {
  for (const { title, events, state, context } of cases) {
    const walked = walk(events)
    t.equal(walked.state, state, `${title}: state`)
    t.match(walked.context, context, `${title}: context`)
  }
})

t.test('ended maintenance window has no deadline on any path', async t => {
  const events: MaintenanceEvent[] = [
    { type: 'end.moved', at: 1, endsAt: 2_000 },
    { type: 'window.cancelled', at: 2 },
    { type: 'end.reached', at: 3 },
  ]
  const states = new Set<string>()
  for (const path of getShortestPaths(maintenanceMachine, { input, events: events as never })) {
    const { value, context } = path.state as unknown as { value: string; context: MaintenanceContext }
    states.add(value)
    t.equal(context.deadlineAt !== null, value === 'running', `${value}: only what runs has an end before it`)
    t.equal(context.cancelledAt !== null, value === 'cancelled')
  }
  t.strictSame([...states].sort(), ['cancelled', 'ranOut', 'running'])
})
