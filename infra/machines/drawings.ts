// Every machine as text: a Mermaid state diagram, and the JSON that the Stately editor imports. Made from the machine itself.
import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate'
import { toDirectedGraph } from 'xstate/graph'
import { deliveryMachine } from '#machines/delivery.ts'
import { incidentMachine } from '#machines/incident.ts'
import { maintenanceMachine } from '#machines/maintenance.ts'

export const machines: Record<string, AnyStateMachine> = {
  incident: incidentMachine,
  maintenance: maintenanceMachine,
  delivery: deliveryMachine,
}

/** The configuration as the Stately editor reads it: what is a function (how a context is made) stays in the machine's file. */
export const statelyJson = (machine: AnyStateMachine): string => `${JSON.stringify(machine.config, null, 2)}\n`

/**
 * A `stateDiagram-v2`: one arrow per transition, labelled event, guard and orders: what somebody else carries out, those of the state
 * that is entered among them. Assignments to the machine's own context are none.
 */
export function mermaid(machine: AnyStateMachine): string {
  const root = toDirectedGraph(machine)
  const lines = ['stateDiagram-v2', `  [*] --> ${nameOf(machine.root.initial.target[0]?.id ?? '')}`]
  for (const node of [root, ...root.children]) {
    const isRoot = node === root
    for (const { target, transition } of node.edges) {
      const guard = transition.guard ? ` [${guardName(transition.guard)}]` : ''
      // What every state understands is drawn once, from a state of its own.
      const from = isRoot ? 'any' : nameOf(node.id)
      const to = isRoot && target.id === root.id ? 'any' : nameOf(target.id)
      lines.push(`  ${from} --> ${to}: ${transition.eventType}${guard}${ordersOf(machine, transition)}`)
    }
    if (!isRoot && node.stateNode.type === 'final') lines.push(`  ${nameOf(node.id)} --> [*]`)
  }
  if (root.edges.length > 0) lines.push('  any: any state')
  return `${lines.join('\n')}\n`
}

const nameOf = (id: string) => id.split('.').at(-1) ?? id

function ordersOf(machine: AnyStateMachine, { actions, target }: AnyTransitionDefinition): string {
  const entered = (target ?? []).flatMap(state => state.entry)
  const orders = [...actions, ...entered].filter(action => !isAssignment(machine, action)).map(orderName)
  return orders.length === 0 ? '' : ` / ${orders.join(', ')}`
}

function isAssignment(machine: AnyStateMachine, action: Action): boolean {
  const implementation = typeof action === 'function' ? action : machine.implementations.actions[nameOfAction(action)]
  return typeof implementation === 'function' && 'type' in implementation && implementation.type === 'xstate.assign'
}

/** With the parameters that are told beforehand: `record closed`, `announce no_data`. */
function orderName(action: Action): string {
  const params = typeof action === 'object' ? action.params : undefined
  const told = typeof params === 'object' && params !== null && 'kind' in params ? ` ${String(params.kind)}` : ''
  return `${nameOfAction(action)}${told}`
}

type Action = AnyTransitionDefinition['actions'][number]
const nameOfAction = (action: Action): string =>
  typeof action === 'string' ? action : 'type' in action ? String(action.type) : ''

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null && 'type' in guard) return String(guard.type)
  return typeof guard === 'function' && 'guards' in guard ? (guard.guards as unknown[]).map(guardName).join(' and ') : 'guarded'
}
