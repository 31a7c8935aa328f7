// One step of an apply: its effect, its object, and its requests, all as data. The runner of steps reads only this data.
import type { Placed } from './document.ts'
import type { TableRow } from './wanted.ts'

export const verbs = ['made', 'changed', 'left', 'deleted', 'archived'] as const
export type Verb = (typeof verbs)[number]

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

/** Phases in which each step depends on the step before. */
export const sequential: ReadonlySet<Phase> = new Set<Phase>([
  'destinations',
  'templates',
  'unused rules',
  'unused signals',
  'unused destinations',
])

export interface StepRequest {
  api: 'v2' | 'v3'
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  /** True if the id of the object that the step's first request created is appended to `path`. */
  isBelowMade?: true
  /** Expected id of the new object. Generation 2 derives the id from the name. */
  makes?: string
}

export interface Step {
  verb: Verb
  phase: Phase
  kind: string
  /** Key, key@version, or name of a destination. */
  name: string
  /** Names of the members that change, or another remark for people; empty: none. */
  what: string
  /** Object in a file; null: no file contains it. */
  source: Placed | null
  requests: StepRequest[]
  /**
   * Delivery table to write. Its ids are looked up when the step runs, because earlier steps may create the monitor and the destinations.
   */
  table?: { key: string; isMonitor: boolean; rows: TableRow[] }
}

export const left = (step: Omit<Step, 'verb' | 'what' | 'requests'>): Step => ({ ...step, verb: 'left', what: '', requests: [] })
