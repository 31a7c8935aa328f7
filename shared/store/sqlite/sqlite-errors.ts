// Conversion of errors of SQLite to errors of the port: `unavailable` (the caller may retry) or `permanent`. Messages of SQLite may be
// logged: they name tables and columns, never values.
import { StoreError } from '#shared/store/port.ts'
import type { Failure } from '#shared/store/sqlite/sqlite-messages.ts'

/** Result codes of SQLite; the lowest eight bits of an extended code are the plain code. */
const results = {
  busy: 5,
  locked: 6,
  outOfMemory: 7,
  readOnly: 8,
  inputOrOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
  /** Extended code of a collision in a unique index other than the index of the id. */
  uniqueViolation: 2067,
} as const

/** Codes after which a retry may succeed. */
const passing = new Set<number>([
  results.busy,
  results.locked,
  results.outOfMemory,
  results.readOnly,
  results.inputOrOutput,
  results.full,
  results.cannotOpen,
])

/** Codes of a damaged file, after which no retry can succeed. */
const damaged = new Set<number>([results.corrupt, results.notADatabase])

const extendedCodeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0
const codeOf = (error: unknown): number => extendedCodeOf(error) % 256

export const isUniqueViolation = (error: unknown): boolean => extendedCodeOf(error) === results.uniqueViolation
export const isNoDatabase = (error: unknown): boolean => codeOf(error) === results.notADatabase

/** Returns the failure that the caller gets for an error of the file at `path`. */
export function failureOf(error: unknown, path: string): Failure {
  if (error instanceof StoreError) return { kind: error.kind, message: error.message }
  const { message } = error as Error
  if (damaged.has(codeOf(error))) {
    const advice = 'restore it from a backup, or move it away and start with --accept-loss to begin anew'
    return { kind: 'permanent', message: `The file ${path} is damaged or none of Watchkeeper's (${message}): ${advice}.` }
  }
  return { kind: passing.has(codeOf(error)) ? 'unavailable' : 'permanent', message: `The embedded store failed: ${message}.` }
}

/** Returns a StoreError for people if SQLite reports that the file is busy; returns every other error unchanged. */
export function usedByAnother(error: unknown): unknown {
  if (codeOf(error) !== results.busy) return error
  return new StoreError('permanent', 'Another process uses the data folder; stop it first, or choose another folder.')
}
