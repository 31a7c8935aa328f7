// Names of guards and orders, as drawings of machines write them.
import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate'

type Action = AnyTransitionDefinition['actions'][number]

export function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null && 'type' in guard) return String(guard.type)
  return typeof guard === 'function' && 'guards' in guard ? (guard.guards as unknown[]).map(guardName).join(' and ') : 'guarded'
}

/** Returns the names of the actions that the machine's owner carries out, without assignments to the machine's own context. */
export function orderNames(machine: AnyStateMachine, actions: readonly Action[]): string[] {
  return actions.filter(action => !isAssignment(machine, action)).map(orderName)
}

function isAssignment(machine: AnyStateMachine, action: Action): boolean {
  const implementation = typeof action === 'function' ? action : machine.implementations.actions[nameOfAction(action)]
  return typeof implementation === 'function' && 'type' in implementation && implementation.type === 'xstate.assign'
}

/** Returns the name with the kind, if the kind is fixed: `record closed`, `announce no_data`. */
function orderName(action: Action): string {
  const params = typeof action === 'object' ? action.params : undefined
  const kind = typeof params === 'object' && params !== null && 'kind' in params ? ` ${String(params.kind)}` : ''
  return `${nameOfAction(action)}${kind}`
}

const nameOfAction = (action: Action): string =>
  typeof action === 'string' ? action : 'type' in action ? String(action.type) : ''
