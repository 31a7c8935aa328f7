// Identifiers: how they are made, and how the short ones are built and parsed. Base 62 in ASCII order, so that text order is
// number order. Ids come from the operating system's randomness; the simulation injects its own.
import { hash, randomBytes, randomFillSync } from 'node:crypto'
import { day } from '#shared/limits.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const idLength = {
  subject: 10,
  location: 4,
  workspace: 10,
  user: 10,
  key: 10,
  address: 10,
  session: 16,
  destination: 10,
  installation: 16,
} as const

/** The operating system is asked for many bytes at once; none is used twice. */
const pool = Buffer.alloc(4_096)
let taken = pool.length

/** A random base 62 text of `length` characters (5.95 bits each). */
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

/** What a request is found by in the logs of all that it passes. */
export const newTraceId = (): string => randomId(16)

/** Random bytes as base64: key material, not an id. */
export const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64')

/** A number as base 62 of a fixed width, so that text order is number order. `value` must be an integer below 62^width. */
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

/** The number that a base 62 text stands for; NaN where a character is not a digit. */
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
 * The identity of a check's observation: day, subject, location, milliseconds within the day; 22 characters.
 * Leading with the day keeps what arrives together together on disk and lets a whole day expire as one range.
 */
export function checkObservationId(subjectId: string, locationId: string, slotAt: number): string {
  return observationPrefix(slotAt, subjectId) + locationId + toBase62(slotAt % day, 5)
}

/** The first 3 (and with a subject 13) characters of all observation ids of the day that `at` lies in. */
export function observationPrefix(at: number, subjectId = ''): string {
  return toBase62(Math.floor(at / day), 3) + subjectId
}

/** The parts of a check observation's id; slotAt in ms since the epoch. */
export function parseCheckObservationId(id: string): { subjectId: string; locationId: string; slotAt: number } {
  return {
    subjectId: id.slice(3, 13),
    locationId: id.slice(13, 17),
    slotAt: fromBase62(id.slice(0, 3)) * day + fromBase62(id.slice(17)),
  }
}

/** Behind all ids that begin with `prefix`: none has a `~`, or a character above it. */
export const endOfPrefix = (prefix: string): string => `${prefix}~`

/** An incident's id inside the system: the subject and the number of the incident within it. */
export const incidentId = (subjectId: string, number: number): string => `${subjectId}.${number}`

/** What one signal and one set of labels reported belongs together; the labels' order says nothing. */
export function seriesId(subjectId: string, signalKey: string, labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return `${subjectId}.${signalKey}.-`
  return `${subjectId}.${signalKey}.${labelsHash(entries.sort(([one], [other]) => (one < other ? -1 : 1)))}`
}

const labelsHash = (sorted: readonly (readonly [string, string])[]) => shortHash(JSON.stringify(sorted))

/** 132 bits of a text's hash as 22 characters. */
export const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

/** Id of the document that keeps the place of the Observation with a sender's id. */
export const observationIdKey = (subjectId: string, sentId: string): string => `${subjectId}.${shortHash(sentId)}`

/**
 * The identity of a pushed observation: its signal, instant (microseconds) and labels (spec D 1, Observation intake). In this order, so
 * that what a signal reported lies in the order of its instants: its newest, a stretch of time and what is too old are ranges of ids.
 */
export function pushedObservationId(
  subjectId: string,
  signalKey: string,
  labels: Readonly<Record<string, string>>,
  observedAtUs: number,
): string {
  return observationOfSeries(seriesId(subjectId, signalKey, labels), observedAtUs)
}

/** The same, of a series' id. */
export function observationOfSeries(series: string, observedAtUs: number): string {
  const labels = series.lastIndexOf('.')
  return `${series.slice(0, labels + 1)}${instantText(observedAtUs)}${series.slice(labels)}`
}

/** What the ids of pushed observations begin with: of a subject, of one of its signals, of an instant (microseconds) of that signal. */
export function pushedPrefix(subjectId: string, signalKey?: string, observedAtUs?: number): string {
  if (signalKey === undefined) return `${subjectId}.`
  return `${subjectId}.${signalKey}.${observedAtUs === undefined ? '' : instantText(observedAtUs)}`
}

/** The parts of a pushed observation's id that it tells. */
export function parsePushedObservationId(id: string): { subjectId: string; signalKey: string; observedAtUs: number } {
  const [subjectId = '', signalKey = '', instant = ''] = id.split('.', 3)
  return { subjectId, signalKey, observedAtUs: instantOf(instant) }
}

/**
 * The identity of an audit row: its workspace, its instant (ms), and `order`, which tells rows of one instant apart. Rows of a workspace,
 * and rows without one (null), lie in the order of their instants.
 */
export const auditId = (workspaceId: string | null, at: number, order: string): string => `${auditBound(workspaceId, at)}${order}`

/** No audit row of the workspace at or after `at` (ms) has a smaller id, and none before it a larger one. */
export const auditBound = (workspaceId: string | null, at: number): string =>
  auditPrefix(workspaceId) + toBase62(Math.min(Math.max(0, at), 62 ** auditInstantDigits - 1), auditInstantDigits)

/** The ids of all audit rows of a workspace begin so. */
export const auditPrefix = (workspaceId: string | null): string => `${workspaceId ?? ''}/`

/** The parts of an audit row's id that it tells; `at` in ms since the epoch. */
export function parseAuditId(id: string): { workspaceId: string | null; at: number } {
  const [workspaceId = '', rest = ''] = id.split('/', 2)
  return { workspaceId: workspaceId === '' ? null : workspaceId, at: fromBase62(rest.slice(0, auditInstantDigits)) }
}

/**
 * The identity of a subject's tag. The tag is hashed: texts of people have no bound that fits an id. Subjects with one tag lie in the order
 * of their ids.
 */
export const subjectTagId = (workspaceId: string, tag: string, subjectId: string): string =>
  subjectTagPrefix(workspaceId, tag) + subjectId

/** The ids of all subjects with a tag begin so, each followed by the subject's own. */
export const subjectTagPrefix = (workspaceId: string, tag: string): string => `${workspaceId}/${shortHash(tag)}/`

const auditInstantDigits = 8

/** Text order is number order from the year 0 to 9999; an instant before 1970 is told as what is left of it up to there. */
function instantText(us: number): string {
  if (us >= 0) return String(us).padStart(instantDigits, '0')
  return `-${String(beforeEpoch + BigInt(us)).padStart(instantDigits, '0')}`
}

const instantOf = (text: string): number => (text.startsWith('-') ? Number(BigInt(text.slice(1)) - beforeEpoch) : Number(text))

const instantDigits = 18
const beforeEpoch = 10n ** BigInt(instantDigits)
