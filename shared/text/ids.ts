// Creation and parsing of ids. The digits of base 62 are in ASCII order, so that text order is number order. Random bytes come from the
// operating system; the simulation injects its own random bytes.
import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { day } from '#shared/limits/limits.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const idLength = {
  subject: 10,
  location: 4,
  workspace: 10,
  user: 10,
  key: 10,
  address: 10,
  pingKey: 10,
  pushToken: 32,
  invitation: 10,
  session: 16,
  destination: 10,
  installation: 16,
} as const

/** Random bytes, read from the operating system in bulk; each byte is used once. */
const pool = Buffer.alloc(4_096)
let taken = pool.length

/** Returns a random text of `length` base 62 characters (5.95 bits each). */
export function randomId(length: number): string {
  let id = ''
  while (id.length < length) {
    if (taken === pool.length) {
      randomFillSync(pool)
      taken = 0
    }
    const byte = pool[taken] as number
    pool[taken++] = 0
    if (byte < 248) id += digits[byte % 62]
  }
  return id
}

/** Returns a new id for a request, by which the request is found in the logs of all services that handle it. */
export const newTraceId = (): string => randomId(16)

/** Returns random bytes as base64: key material, not an id. */
export const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64')

/** Returns a number as base 62 of a fixed width, so that text order is number order. `value` must be an integer below 62^width. */
export function toBase62(value: number, width: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < width; i++) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  if (rest !== 0 || !Number.isInteger(value) || value < 0) throw new RangeError(`${value} does not fit ${width} base 62 digits`)
  return text
}

/** Returns the number of a base 62 text; NaN if a character is not a digit. */
export function fromBase62(text: string): number {
  let value = 0
  for (const character of text) {
    const digit = digits.indexOf(character)
    if (digit < 0) return Number.NaN
    value = value * 62 + digit
  }
  return value
}

/**
 * Returns the id of a check's observation: day, subject, source, milliseconds within the day; 22 or 23 characters. The day comes first so
 * that observations of the same time are adjacent on disk, and a whole day expires as one range. `source`: location and suffix of the
 * check (shared/subjects/sources.ts).
 */
export function checkObservationId(subjectId: string, source: string, slotAt: number): string {
  return observationPrefix(slotAt, subjectId) + source + toBase62(slotAt % day, slotDigits)
}

/** Number of digits of an instant within a day, ms. The first one is at most 5, because a day has fewer than 6 x 62^4 ms. */
const slotDigits = 5

/** First digit that no instant within a day begins with. */
export const digitsAfterInstants = 6

/**
 * Returns the range of ids of the observations of one source in the day that contains `at`. The ids of a source with a suffix follow those
 * of its location alone, because a suffix is a digit with which no instant begins.
 */
export function sourceRange(at: number, subjectId: string, source: string): { gte: string; lt: string } {
  const prefix = observationPrefix(at, subjectId) + source
  return { gte: prefix, lt: source.length > idLength.location ? endOfPrefix(prefix) : prefix + digits[digitsAfterInstants] }
}

/** Returns the prefix of the ids of all check observations of the day that contains `at`: 3 characters, or 13 if a subject is given. */
export function observationPrefix(at: number, subjectId = ''): string {
  return toBase62(Math.floor(at / day), 3) + subjectId
}

/** Returns the parts of a check observation's id; slotAt in ms since the epoch. */
export function parseCheckObservationId(id: string): { subjectId: string; source: string; slotAt: number } {
  return {
    subjectId: id.slice(3, 13),
    source: id.slice(13, -slotDigits),
    slotAt: fromBase62(id.slice(0, 3)) * day + fromBase62(id.slice(-slotDigits)),
  }
}

/** Returns the upper bound of all ids that begin with `prefix`: no id contains `~` or a character above it. */
export const endOfPrefix = (prefix: string): string => `${prefix}~`

/** Returns the internal id of an incident: its subject, and its number within the subject. */
export const incidentId = (subjectId: string, number: number): string => `${subjectId}.${number}`

/** Returns the subject of an internal incident id. */
export const subjectOfIncident = (id: string): string => id.slice(0, id.lastIndexOf('.'))

/** Returns the id of a series: one signal with one label set. The order of the labels does not matter. */
export function seriesId(subjectId: string, signalKey: string, labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return `${subjectId}.${signalKey}.-`
  return `${subjectId}.${signalKey}.${labelsHash(entries.sort(([one], [other]) => (one < other ? -1 : 1)))}`
}

const labelsHash = (sorted: readonly (readonly [string, string])[]) => shortHash(JSON.stringify(sorted))

/** Returns 132 bits of a text's hash as 22 characters. */
export const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

/** Senders may choose an id for an Observation. Returns the id of the document that maps the sender's id to the stored Observation. */
export const observationIdKey = (subjectId: string, sentId: string): string => `${subjectId}.${shortHash(sentId)}`

/**
 * Returns the id of a pushed observation, made from its signal, instant (microseconds) and labels (reference/custom-subjects 4.7). The ids
 * of a signal are thus in the order of instants. So the observations of a period, or the expired observations, form one range of ids.
 */
export function pushedObservationId(
  subjectId: string,
  signalKey: string,
  labels: Readonly<Record<string, string>>,
  observedAtUs: number,
): string {
  return observationOfSeries(seriesId(subjectId, signalKey, labels), observedAtUs)
}

/** Returns the same id as `pushedObservationId`, but gets the id of a series instead of signal and labels. */
export function observationOfSeries(series: string, observedAtUs: number): string {
  const labels = series.lastIndexOf('.')
  return `${series.slice(0, labels + 1)}${instantText(observedAtUs)}${series.slice(labels)}`
}

/**
 * Returns the prefix of the ids of pushed observations of a subject, of one of its signals, or of one instant (microseconds) of a signal.
 */
export function pushedPrefix(subjectId: string, signalKey?: string, observedAtUs?: number): string {
  if (signalKey === undefined) return `${subjectId}.`
  return `${subjectId}.${signalKey}.${observedAtUs === undefined ? '' : instantText(observedAtUs)}`
}

/** Returns the parts of a pushed observation's id; the labels are only a hash. */
export function parsePushedObservationId(id: string): { subjectId: string; signalKey: string; observedAtUs: number } {
  const [subjectId = '', signalKey = '', instant = ''] = id.split('.', 3)
  return { subjectId, signalKey, observedAtUs: instantOf(instant) }
}

/**
 * Returns the id of a subject's tag. The id contains a hash of the tag, because a text that a person wrote may be too long for an id. The
 * ids of one tag are in the order of their subjects' ids.
 */
export const subjectTagId = (workspaceId: string, tag: string, subjectId: string): string =>
  subjectTagPrefix(workspaceId, tag) + subjectId

/** Returns the prefix of the ids of all subjects with a tag; the subject's own id follows it. */
export const subjectTagPrefix = (workspaceId: string, tag: string): string => `${workspaceId}/${shortHash(tag)}/`

/**
 * Returns an instant as text whose order is number order for the years 0 to 9999. An instant before 1970 is written as the time since a
 * fixed earlier instant.
 */
function instantText(us: number): string {
  if (us >= 0) return String(us).padStart(instantDigits, '0')
  return `-${String(beforeEpoch + BigInt(us)).padStart(instantDigits, '0')}`
}

const instantOf = (text: string): number => (text.startsWith('-') ? Number(BigInt(text.slice(1)) - beforeEpoch) : Number(text))

const instantDigits = 18
const beforeEpoch = 10n ** BigInt(instantDigits)

/** Place of a ping's body among those that a signal keeps: a number, or the newest failure. */
export const pingBodyId = (subjectId: string, signalKey: string, place: number | 'problem'): string =>
  `${subjectId}.${signalKey}.${place}`
