// Refusals that several routes of generations 1 and 2 share, as code and message (reference/envelope 3).
import type { ClassicRefusal } from './classic-route.ts'

export const ofEveryRoute: readonly ClassicRefusal[] = [
  '1001 Missing Authorization header',
  '1002 Malformed Authorization header',
  '1003 Invalid token',
  '1004 User is disabled',
  '500 Internal error',
]

export const ofEveryBody: readonly ClassicRefusal[] = [
  '2006 Invalid JSON',
  '2006 Request too large',
  '2006 Unsupported content type',
  '2006 Unsupported encoding',
]

export const accessDenied: ClassicRefusal = '2005 Access denied'
export const invalid: ClassicRefusal = '2001 Validation failed'
export const missingWorkspace: ClassicRefusal = '2004 Missing workspace ID'
export const invalidName: ClassicRefusal = '2001 Invalid name'
export const subjectTooLarge: ClassicRefusal = '2004 Subject too large'
