// Marks of browsers in which a person has signed in. A browser with a mark is not slowed by wrong tries that others make for the name of this
// person. A mark is signed and not stored. It grants nothing else: its own wrong tries are counted.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { limits } from '#shared/limits/limits.ts'

interface Signer {
  clock: { now(): number }
  /** Secret of the installation; empty: no marks are made, and none is accepted. */
  incidentSalt: string
}

/** Returns a mark of this user for the browser that has just signed in; null: the installation has no secret. */
export function markOf({ clock, incidentSalt }: Signer, userId: string): string | null {
  if (incidentSalt === '') return null
  const stated = `${userId}.${clock.now().toString(36)}`
  return `${stated}.${signatureOf(incidentSalt, stated)}`
}

/** Whether `mark` was made for this user, at most `limits.signIn.knownMs` ago. */
export function isMarkOf({ clock, incidentSalt }: Signer, mark: string, userId: string): boolean {
  const [markedId, madeAt = '', signature = '', ...more] = mark.split('.')
  if (incidentSalt === '' || markedId !== userId || more.length > 0) return false
  const expected = Buffer.from(signatureOf(incidentSalt, `${markedId}.${madeAt}`))
  const given = Buffer.from(signature)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false
  return clock.now() - Number.parseInt(madeAt, 36) < limits.signIn.knownMs
}

const signatureOf = (secret: string, stated: string): string =>
  createHmac('sha256', secret).update(`browser that signed in\n${stated}`).digest('base64url')
