// The transition functions of all machines: their results equal those of XState.
import t from 'tap'
import * as xstate from 'xstate'
import { deliveryMachine } from '#machines/delivery.ts'
import { incidentMachine } from '#machines/incident.ts'
import { maintenanceMachine } from '#machines/maintenance.ts'
import { initialTransition, transition } from '#machines/transition.ts'

const holds = { confirmAfterMs: 100, closeAfterMs: 50 }
const machines: Record<string, { machine: xstate.AnyStateMachine; input: object; events: xstate.AnyEventObject[] }> = {
  incident: {
    machine: incidentMachine,
    input: { incidentId: 's.1', ruleKey: 'r1', at: 1_000, condition: 'problem', ...holds },
    events: [
      { type: 'ok.judged', at: 1_050 },
      { type: 'problem.judged', at: 1_080, muted: true },
      { type: 'no_data.judged', at: 1_090 },
      { type: 'hold.elapsed', at: 1_100 },
      { type: 'recovery.elapsed', at: 1_200 },
      { type: 'policy.replaced', at: 1_120, confirmAfterMs: 10, closeAfterMs: 10 },
      { type: 'unheard.of', at: 1_130 },
    ],
  },
  maintenance: {
    machine: maintenanceMachine,
    input: { windowId: 's.w1', at: 1_000, endsAt: 2_000, by: 'Ann' },
    events: [
      { type: 'end.moved', at: 1_100, endsAt: 3_000 },
      { type: 'window.cancelled', at: 1_200 },
      { type: 'end.reached', at: 3_000 },
    ],
  },
  delivery: {
    machine: deliveryMachine,
    input: { at: 1_000, giveUpAt: 9_000 },
    events: [
      { type: 'delivery.claimed', at: 1_000, until: 2_000 },
      { type: 'claim.lapsed', at: 2_000 },
      { type: 'delivery.withdrawn', at: 1_500, error: 'gone' },
      { type: 'claim.released', at: 1_550 },
      { type: 'attempt.delivered', at: 1_600 },
      { type: 'attempt.refused', at: 1_700, retryable: true, error: 'timeout', retryMs: 100 },
    ],
  },
}

for (const [name, { machine, input, events }] of Object.entries(machines)) {
  t.test(`${name} machine has the state of XState's own transitions after every sequence of four events`, async t => {
    let moves = 0
    const walk = (ours: xstate.AnyMachineSnapshot, theirs: xstate.AnyMachineSnapshot, left: number): void => {
      for (const event of left === 0 ? [] : events) {
        const [next, orders] = transition(machine, ours, event)
        const [expected, actions] = xstate.transition(machine, theirs, event)
        if (JSON.stringify(told(next, orders)) !== JSON.stringify(told(expected, actions)))
          t.strictSame(told(next, orders), told(expected, actions), `after ${event.type} in ${theirs.value}`)
        moves += 1
        walk(next, expected, left - 1)
      }
    }
    const [begun, orders] = initialTransition(machine, input)
    const [expected, actions] = xstate.initialTransition(machine, input)
    t.strictSame(told(begun, orders), told(expected, actions))
    walk(begun, expected, 4)
    t.equal(
      moves,
      [1, 2, 3, 4].reduce((sum, depth) => sum + events.length ** depth, 0),
    )
  })
}

/** Returns the compared parts of a snapshot, and the effects. */
function told({ value, context, status }: xstate.AnyMachineSnapshot, orders: readonly { type: string; params: unknown }[]) {
  return { value, context, status, orders: orders.map(({ type, params }) => ({ type, params })) }
}
