// A row of the audit, the options that select rows, and the person among them.
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

/** Returns the rows of a person by username or id. A deleted person may have rows, so an unknown person is an error only without rows. */
export async function rowsOf<T>(
  person: string | undefined,
  find: (named: string) => Promise<{ id: string }>,
  read: (personId: string | undefined) => Promise<T[]>,
): Promise<T[]> {
  if (person === undefined) return read(undefined)
  try {
    return read((await find(person)).id)
  } catch (error) {
    const rows = isNotFound(error) && isId(person) ? await read(person) : []
    if (rows.length > 0) return rows
    throw error
  }
}

export const isNotFound = (error: unknown): error is StartError =>
  error instanceof StartError && error.exitCode === exitCodes.notFound
