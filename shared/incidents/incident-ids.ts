// Public incident ids: opaque texts derived from the server's salt. If the salt changes, ids from before the change are no longer
// recognised (reference/incidents 5.4).
import Sqids from 'sqids'
import { fnv1a32 } from '#shared/text/hash.ts'
import { fromBase62, idLength, incidentId, toBase62 } from '#shared/text/ids.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const half = idLength.subject / 2

export interface IncidentIds {
  /** Returns the public id of an internal id (`<subject>.<number>`). */
  encode(internalId: string): string
  /** Returns the subject and the internal id of an incident; null if the text is not a public id of this installation. */
  decode(publicId: string): { subjectId: string; incidentId: string } | null
}

export function createIncidentIds(salt: string): IncidentIds {
  const sqids = new Sqids({ alphabet: shuffled(salt), blocklist: new Set(), minLength: 14 })
  const encode = (internalId: string) => {
    const [subjectId = '', number = ''] = internalId.split('.')
    return letterFirst(sqids.encode([fromBase62(subjectId.slice(0, half)), fromBase62(subjectId.slice(half)), Number(number)]))
  }
  return {
    encode,
    decode: publicId => {
      if (!/^i[0-9A-Za-z]{14,40}$/.test(publicId)) return null
      const [high, low, number, more] = sqids.decode(publicId.slice(1))
      if (high === undefined || low === undefined || number === undefined || more !== undefined) return null
      if (high >= 62 ** half || low >= 62 ** half || !Number.isSafeInteger(number)) return null
      const subjectId = toBase62(high, half) + toBase62(low, half)
      const internal = incidentId(subjectId, number)
      return encode(internal) === publicId ? { subjectId, incidentId: internal } : null
    },
  }
}

/** Puts a letter before the text, so that an id never looks like a number (reference/incidents 5.4). */
const letterFirst = (text: string) => `i${text}`

/**
 * Returns the alphabet in an order that depends on the salt. Uses a Fisher-Yates shuffle in which hashes of salt and position replace
 * random numbers.
 */
function shuffled(salt: string): string {
  const characters = [...alphabet]
  for (let i = characters.length - 1; i > 0; i--) {
    const j = fnv1a32(`${salt}:${i}`) % (i + 1)
    const held = characters[i] as string
    characters[i] = characters[j] as string
    characters[j] = held
  }
  return characters.join('')
}
