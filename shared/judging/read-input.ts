// Reading of an input of a rule at an instant: the value of its newest report, or unknown after a long silence. Pure.
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, ReadingValue } from '#shared/contracts/subjects/verdict.ts'

export interface InputTerms {
  /** Time after an input's newest observation until the input is silent, ms. The reading of a silent input is unknown. */
  silentAfterMs: number
  /** Length of the grace period, which begins when the input is added, ms. */
  graceMs: number
}

export interface InputReading {
  value: ReadingValue
  young: boolean
  /** Instant of the reading; null: the input has never reported. */
  at: number | null
  /** Error of the check, or the reason why the input is unknown; null: ok. */
  reason: string | null
  /** First instant at which time alone changes the reading; null: never. */
  changesAt: number | null
}

/**
 * Reads an input. `silenceAt`: the instant up to which silence and grace periods count, normally the instant of the judgement. After a
 * take-over, buffered reports may still arrive. Meanwhile `silenceAt` is earlier, so that no input counts as silent too early. An input is
 * silent when *more than* `silentAfterMs` have passed since its report (reference/judging 4.2).
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

/** Returns the reason for an input that is silent after a report (reference/judging 6.3); `at` in ms. */
export const nothingSince = (at: number): string => `nothing reported since ${new Date(at).toISOString()}`

const neverReported = 'never reported'

/** Beginning of the reason for a location where no check could ever be made: the prober's own sentence follows. */
export const cannotWord = 'cannot: '

/** Returns true if the input in recorded evidence was unknown because it was silent or had never reported. */
export const isSilent = ({ value, at, reason }: EvidenceInput): boolean =>
  value === 'unknown' && reason === (at === null ? neverReported : nothingSince(at))

/** Reads an input that has never reported: unknown, and young during its grace period. Instants in ms; `silenceAt`: as in `readInput`. */
export function readNeverReported(addedAt: number, graceMs: number, silenceAt: number): InputReading {
  const grownFrom = addedAt + graceMs + 1
  const young = silenceAt < grownFrom
  return { value: 'unknown', young, at: null, reason: neverReported, changesAt: young ? grownFrom : null }
}

export function wordOf(value: ReadingValue): EvidenceInput['value'] {
  if (value === 'unknown') return value
  return value ? 'problem' : 'ok'
}
