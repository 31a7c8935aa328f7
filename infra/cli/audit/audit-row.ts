// A row of the audit, the options that select rows, and the look-up of a person by id or username.
import type { Static } from 'typebox'
import { isId } from '#shared/text/is-id.ts'
import type { AuditObject } from '../../../services/gateway/v3/audit.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import type { ApiOptions } from '../noun.ts'

export type AuditRow = Static<typeof AuditObject>

export interface AuditOptions extends ApiOptions {
  installation?: boolean
  person?: string
  path?: string
  since?: string
  until?: string
  limit: number
}

/**
 * Returns the audit rows of one person, named by id or username. A person who has left the workspace is found only by id.
 */
export async function rowsOf<T>(
  person: string | undefined,
  find: (named: string) => Promise<{ id: string }>,
  read: (personId: string | undefined) => Promise<T[]>,
): Promise<T[]> {
  if (person === undefined) return read(undefined)
  const rows = isId(person) ? await read(person) : []
  if (rows.length > 0) return rows
  const { id } = await find(person).catch(error => {
    if (!isNotFound(error)) throw error
    throw new StartError(error.message.replace(/\.$/, '; name a person who has left by id.'), error.exitCode)
  })
  return read(id)
}

export const isNotFound = (error: unknown): error is StartError =>
  error instanceof StartError && error.exitCode === exitCodes.notFound
