// Refusals that routes share (spec A, Errors; D, general rules), each as its code and message.
import type { Refusal } from './description.ts'

export const ofEveryRoute: readonly Refusal[] = [
  '1001 Missing Authorization header',
  '1002 Malformed Authorization header',
  '1003 Invalid token',
  '1004 User is disabled',
  '500 Internal error',
]

export const ofEveryBody: readonly Refusal[] = [
  '2006 Invalid JSON',
  '2006 Request too large',
  '2006 Unsupported content type',
  '2006 Unsupported encoding',
]

export const accessDenied: Refusal = '2005 Access denied'
export const invalid: Refusal = '2001 Validation failed'
export const missingWorkspace: Refusal = '2004 Missing workspace ID'
export const invalidName: Refusal = '2001 Invalid name'
export const subjectTooLarge: Refusal = '2004 Subject too large'
