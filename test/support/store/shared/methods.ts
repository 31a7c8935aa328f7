// Methods of the store port that the shared store serves. `putInOrder` is not among them: a client makes one put after another, so that a
// client that dies between two puts leaves the first, as with MongoDB.
import type { Store } from '#shared/store/port.ts'

const served = [
  'get',
  'insert',
  'replace',
  'advance',
  'upsert',
  'delete',
  'deleteRange',
  'find',
  'numbers',
  'count',
  'expire',
  'ping',
  'room',
] as const satisfies readonly (keyof Store)[]

export type Served = (typeof served)[number]

export const isServed = (method: string): method is Served => (served as readonly string[]).includes(method)
