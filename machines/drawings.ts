// Text forms of a machine, generated from its code: a Mermaid state diagram, and the JSON that the Stately editor imports.

import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate'
import { toDirectedGraph } from 'xstate/graph'
import { deliveryMachine } from './delivery.ts'
import { incidentMachine } from './incident.ts'
import { maintenanceMachine } from './maintenance.ts'

export const machines: Record<string, AnyStateMachine> & Record<'incident' | 'maintenance' | 'delivery', AnyStateMachine> = {
  incident: incidentMachine,
  maintenance: maintenanceMachine,
  delivery: deliveryMachine,
}

/** Returns the machine's configuration as JSON without functions. The Stately editor can import this JSON. */
export const statelyJson = (machine: AnyStateMachine): string => `${JSON.stringify(machine.config, null, 2)}\n`

/**
 * Returns a `stateDiagram-v2`: one arrow for each transition, labelled with event, guard and orders. The orders include the entry orders
 * of the target state.
 */
export function mermaid(machine: AnyStateMachine): string {
  const root = toDirectedGraph(machine)
  const lines = ['stateDiagram-v2', `  [*] --> ${nameOf(machine.root.initial.target[0]?.id ?? '')}`]
  for (const node of [root, ...root.children]) {
    const isRoot = node === root
    for (const { target, transition } of node.edges) {
      const guard = transition.guard ? ` [${guardName(transition.guard)}]` : ''
      // If every state accepts an event, the diagram shows the event once, as an arrow from an extra state `any`.
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
  const orders = orderNames(machine, [...actions, ...entered])
  return orders.length === 0 ? '' : ` / ${orders.join(', ')}`
}

type Action = AnyTransitionDefinition['actions'][number]

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null && 'type' in guard) return String(guard.type)
  return typeof guard === 'function' && 'guards' in guard ? (guard.guards as unknown[]).map(guardName).join(' and ') : 'guarded'
}

/**
 * Returns the names of the actions that are orders for the machine's owner. Leaves out assignments to the machine's own context.
 */
function orderNames(machine: AnyStateMachine, actions: readonly Action[]): string[] {
  return actions.filter(action => !isAssignment(machine, action)).map(orderName)
}

function isAssignment(machine: AnyStateMachine, action: Action): boolean {
  const implementation = typeof action === 'function' ? action : machine.implementations.actions[nameOfAction(action)]
  return typeof implementation === 'function' && 'type' in implementation && implementation.type === 'xstate.assign'
}

/** Returns the name of an order. If the order has a fixed `kind`, the kind follows the name: `record closed`, `announce no_data`. */
function orderName(action: Action): string {
  const params = typeof action === 'object' ? action.params : undefined
  const kind = typeof params === 'object' && params !== null && 'kind' in params ? ` ${String(params.kind)}` : ''
  return `${nameOfAction(action)}${kind}`
}

const nameOfAction = (action: Action): string =>
  typeof action === 'string' ? action : 'type' in action ? String(action.type) : ''
