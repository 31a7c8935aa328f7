// What an input of a rule reads at an instant: its newest report, until it has been silent for too long. Pure.
import type { Reading } from '#shared/contracts/subject.ts'
import type { EvidenceInput, ReadingValue } from '#shared/contracts/verdict.ts'

export interface InputTerms {
  /** An input silent for longer than this is unknown, ms by the time of its observation. */
  silentAfterMs: number
  /** An input that never reported is young for this long since it was added, ms. */
  graceMs: number
}

export interface InputReading {
  value: ReadingValue
  young: boolean
  /** When the reading was observed; null: never. */
  at: number | null
  /** Why it reads as it does: the check's own error, or why it is unknown; null when ok. */
  reason: string | null
  /** The first instant at which time alone changes what it reads; null: never. */
  changesAt: number | null
}

/**
 * Reads an input. `silenceAt` is the instant up to which silence counts, and what never reported grows up: normally that of the judgement;
 * earlier while buffered reports may still arrive (after a take-over), so that nobody is called silent too soon. Bounds are inclusive: an
 * input is silent once it has been quiet for *longer than* its time (spec D 1).
 */
export function readInput(reading: Reading, terms: InputTerms, silenceAt: number): InputReading {
  if (reading.at === null) return readNeverReported(reading.addedAt, terms.graceMs, silenceAt)
  const silentFrom = reading.at + terms.silentAfterMs + 1
  if (silenceAt >= silentFrom) {
    return { value: 'unknown', young: false, at: reading.at, reason: nothingSince(reading.at), changesAt: null }
  }
  return reading.ok
    ? { value: false, young: false, at: reading.at, reason: null, changesAt: silentFrom }
    : { value: true, young: false, at: reading.at, reason: reading.error, changesAt: silentFrom }
}

/** Why what spoke once is unknown (spec D 3, Explanations); `at` in ms. */
export const nothingSince = (at: number): string => `nothing reported since ${new Date(at).toISOString()}`

const neverReported = 'never reported'

/** Whether recorded evidence is unknown because nothing was heard, for too long or ever. */
export const isSilent = ({ value, at, reason }: EvidenceInput): boolean =>
  value === 'unknown' && reason === (at === null ? neverReported : nothingSince(at))

/** Reads an input that never reported since it was added (ms): unknown, and young for its grace. `silenceAt`: see readInput. */
export function readNeverReported(addedAt: number, graceMs: number, silenceAt: number): InputReading {
  const grownFrom = addedAt + graceMs + 1
  const young = silenceAt < grownFrom
  return { value: 'unknown', young, at: null, reason: neverReported, changesAt: young ? grownFrom : null }
}

/** What a reading is called in evidence. */
export function wordOf(value: ReadingValue): EvidenceInput['value'] {
  if (value === 'unknown') return value
  return value ? 'problem' : 'ok'
}
