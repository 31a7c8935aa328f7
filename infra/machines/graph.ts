// Graph of a machine for its drawing: the states, and one arrow between two states that have at least one transition. Has no coordinates.
// Pure.
import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate'

export interface GraphState {
  id: string
  description: string
  isInitial: boolean
  isFinal: boolean
}

export interface GraphArrow {
  /** `<from>-><to>` */
  id: string
  /** Name of a state. For events that every open state handles: name of the machine. */
  from: string
  to: string
  events: string[]
}

export interface MachineGraph {
  machine: string
  states: GraphState[]
  arrows: GraphArrow[]
  /** Names of events that every open state handles without a change of state. */
  everywhere: string[]
}

type StateNode = AnyStateMachine['root']

export function graphOf({ id: machine, root }: AnyStateMachine): MachineGraph {
  const states = Object.values(root.states)
  const transitions = [...states, root].flatMap(transitionsOf)
  const arrows = new Map<string, GraphArrow>()
  for (const { source, target, eventType: event } of transitions) {
    const to = target?.[0]?.key
    if (to === undefined || to === source.key) continue
    const id = `${source.key}->${to}`
    const arrow = arrows.get(id) ?? { id, from: source.key, to, events: [] }
    if (!arrow.events.includes(event)) arrow.events.push(event)
    arrows.set(id, arrow)
  }
  const stays = transitionsOf(root).filter(({ target }) => target === undefined)
  return {
    machine,
    states: states.map(node => ({
      id: node.key,
      description: node.description ?? '',
      isInitial: node.key === root.initial.target[0]?.key,
      isFinal: node.type === 'final',
    })),
    arrows: [...arrows.values()],
    everywhere: [...new Set(stays.map(({ eventType }) => eventType))],
  }
}

const transitionsOf = (node: StateNode): AnyTransitionDefinition[] => [...node.transitions.values()].flat()
