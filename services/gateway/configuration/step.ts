// One step of a plan as data: the kind of change, the changed object, and the requests to send. The runner of steps reads only this data.
import type { ConfigurationStep } from '#shared/contracts/session/configuration.ts'
import type { ApiRequest } from './api.ts'
import type { PlacedObject } from './document.ts'
import type { TableRow } from './wanted.ts'

export type Verb = ConfigurationStep['result']

/** Name of the temporary destination that takes the default mark from another one (plan-destinations.ts). */
export const standInName = 'Stand-in of ./watchkeeper apply'

/** Phases in the order in which they run. Steps of one phase run in parallel unless the phase is sequential. */
export const phases = [
  'destinations',
  'templates',
  'resources',
  'subjects',
  'tables',
  'unused tables',
  'unused rules',
  'unused signals',
  'unused resources',
  'unused destinations',
] as const
export type Phase = (typeof phases)[number]

/** Phases whose steps run one after another, because a step depends on the step before it. */
export const sequential: ReadonlySet<Phase> = new Set<Phase>([
  'destinations',
  'templates',
  'unused rules',
  'unused signals',
  'unused destinations',
])

/** One changed member. Undefined: the member is absent. */
export interface Change {
  member: string
  old: unknown
  new: unknown
}

export interface StepRequest extends ApiRequest {
  /** True: the id of the object that the step's first request created is appended to `path`. */
  isBelowMade?: true
  /** Expected id of the new object. Generation 2 derives the id from the object's name. */
  makes?: string
}

export interface Step {
  verb: Verb
  phase: Phase
  kind: string
  /** Key of the object, key@version of a Template, or name of a destination. */
  name: string
  /** Names of the members that change, or another remark for people; empty: there is nothing to say. */
  what: string
  /** Changed members with their old and new values, of Resources and destinations; absent: `what` says all. No value is a secret. */
  changes?: readonly Change[]
  /** The step's object in its file; null: no file contains the object. */
  source: PlacedObject | null
  requests: StepRequest[]
  /**
   * Delivery table to write. Ids of the monitor and the destinations are looked up when the step runs, because earlier steps may create
   * them.
   */
  table?: { key: string; isMonitor: boolean; rows: TableRow[] }
}

export const left = (step: Omit<Step, 'verb' | 'what' | 'requests'>): Step => ({ ...step, verb: 'left', what: '', requests: [] })
