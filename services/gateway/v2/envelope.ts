// Envelope of generations 1 and 2 (reference/envelope 2). Only this file maps AppErrors to the codes of the envelope.
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { AuthenticationError } from '../callers/authentication-error.ts'

export interface Envelope {
  result: unknown
  error: { code: number; error_type: string; message: string; details: string } | null
  meta: null
}

/**
 * Envelope codes of errors (reference/envelope 3.1). An error without an entry here gets the code 500, because clients cannot correct the
 * cause of such an error.
 */
const codes: Partial<Record<ErrorCode, number>> = {
  validation: 2001,
  taken: 2001,
  not_found: 2002,
  forbidden: 2003,
  invalid_state: 2004,
  access_denied: 2005,
  malformed: 2006,
  too_large: 2006,
}

/** Codes of a refused key (reference/envelope 3.1). */
const authenticationCodes = { missing: 1001, malformed: 1002, invalid: 1003, disabled: 1004 } as const

const types: Record<number, string> = { 2001: 'validation_error', 2002: 'not_found', 2003: 'forbidden' }

export const internalCode = 500

export const success = (result: unknown): Envelope => ({ result, error: null, meta: null })

/** Returns the envelope of an error. Details of an internal failure are never included. */
export function failure(error: unknown): Envelope & { error: NonNullable<Envelope['error']> } {
  const code = codeOf(error)
  const { message, details } =
    code === internalCode
      ? { message: 'Internal error', details: 'The request could not be completed; try again later' }
      : (error as AppError)
  const error_type = code < 2000 && code !== internalCode ? 'access_denied' : (types[code] ?? 'internal_error')
  return { result: null, error: { code, error_type, message, details }, meta: null }
}

function codeOf(error: unknown): number {
  if (error instanceof AuthenticationError) return authenticationCodes[error.reason]
  return error instanceof AppError ? (codes[error.code] ?? internalCode) : internalCode
}
