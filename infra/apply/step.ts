// One step of an application: what it does to which object, and the requests that do it, as data. The runner of steps knows nothing else.
import type { Placed } from './document.ts'
import type { TableRow } from './wanted.ts'

export const verbs = ['made', 'changed', 'left', 'deleted', 'archived'] as const
export type Verb = (typeof verbs)[number]

/** In the order in which they run. The steps of one phase run side by side, unless their order matters. */
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

/** Each changes what the one before it left. */
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
  /** `path` goes on with the id of what the step's first request made. */
  isBelowMade?: true
  /** The id that generation 2 must give the new thing: it makes one from the name. */
  makes?: string
}

export interface Step {
  verb: Verb
  phase: Phase
  kind: string
  /** Key, key@version, or the name of a destination. */
  name: string
  /** The members that change, or what else there is to say; empty: nothing. */
  what: string
  /** Null: it stands in no file. */
  source: Placed | null
  requests: StepRequest[]
  /** A delivery table to write. Ids of its monitor and its destinations may be known only when it is its turn. */
  table?: { key: string; isMonitor: boolean; rows: TableRow[] }
}

export const left = (step: Omit<Step, 'verb' | 'what' | 'requests'>): Step => ({ ...step, verb: 'left', what: '', requests: [] })
