// Commands acknowledged for one simulated Resource, in the order in which its keeper took them: the oracle knows nothing else.
import type { Answers } from '#shared/contracts/template.ts'
import type { NaiveObservation } from '../../judging/naive-decision.ts'

export interface ArrivedObservation extends Omit<NaiveObservation, 'signal'> {
  /** The signal's id: a signal that leaves and comes back is another one. */
  signalId: string
}

export type Event =
  | { kind: 'observed'; at: number; observation: ArrivedObservation }
  /** Made, bound to another revision, answered anew, or with a signal that a sender declared. `isRebound`: every open incident closes. */
  | {
      kind: 'bound'
      at: number
      isRebound: boolean
      /** A sender declared a signal: no rule reads it, so nothing is judged. */
      isDeclared: boolean
      template: string
      answers: Answers
      signalIds: Readonly<Record<string, string>>
    }
  | { kind: 'archived'; at: number }

export interface ResourceFacts {
  id: string
  /** Of instants that never go back. */
  events: Event[]
  /** How often events came to be known behind later ones. */
  sorted: number
  windows: { from: number; until: number }[]
  /** By the incident's rule: when somebody took it on. */
  acknowledgements: { rule: string; at: number }[]
}

export const latestBinding = ({ events }: Pick<ResourceFacts, 'events'>): Extract<Event, { kind: 'bound' }> =>
  events.findLast(event => event.kind === 'bound') as Extract<Event, { kind: 'bound' }>

export const isArchived = ({ events }: Pick<ResourceFacts, 'events'>): boolean => events.at(-1)?.kind === 'archived'
