// Acknowledged commands of one simulated Resource, in the order in which its keeper carried them out. They are the oracle's only input.
import type { Answers } from '#shared/contracts/resources/template.ts'
import type { NaiveObservation } from '../../judging/naive-decision.ts'

export interface ArrivedObservation extends Omit<NaiveObservation, 'signal'> {
  /** Id of the signal: a signal that is removed and declared again gets another id. */
  signalId: string
}

export type Event =
  /** `repeatedAt`: instant of the sender's repetition after the keeper died without a reply. */
  | { kind: 'observed'; at: number; observation: ArrivedObservation; repeatedAt?: number }
  /**
   * The Resource was created, bound to another revision, given other answers, or extended by a declared signal. `isRebound` true: every
   * open incident closes.
   */
  | {
      kind: 'bound'
      at: number
      isRebound: boolean
      /** True: a sender declared the signal. No rule reads such a signal, so nothing is judged. */
      isDeclared: boolean
      template: string
      answers: Answers
      signalIds: Readonly<Record<string, string>>
    }
  | { kind: 'archived'; at: number }

export interface ResourceFacts {
  id: string
  /** Events in the order of their instants. */
  events: Event[]
  /** Number of events that became known after later events. */
  sorted: number
  windows: { from: number; until: number }[]
  /** Acknowledgements of incidents: rule of the incident, and instant. */
  acknowledgements: { rule: string; at: number }[]
}

export const latestBinding = ({ events }: Pick<ResourceFacts, 'events'>): Extract<Event, { kind: 'bound' }> =>
  events.findLast(event => event.kind === 'bound') as Extract<Event, { kind: 'bound' }>

export const isArchived = ({ events }: Pick<ResourceFacts, 'events'>): boolean => events.at(-1)?.kind === 'archived'
