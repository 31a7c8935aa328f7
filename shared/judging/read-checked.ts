// Reading of one comparison of a checked signal: read at each location, then combined by the signal's agreement. Pure. Reference:
// docs/reference/v3.md, 4.15.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { Answers, Comparison } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { sourceAt } from '#shared/subjects/sources.ts'
import { type DecidedInput, decide } from './decide.ts'
import { nothingHeard } from './heard-signal.ts'
import { earliest } from './judgement.ts'
import { type ComparisonReading, changes, type Moment, readComparison } from './read-comparison.ts'
import { readNeverReported } from './read-input.ts'

/** A location that counts, and what the comparison reads there. */
export interface PlaceReading {
  location: string
  reading: ComparisonReading
  /** True while the location's first result may still come. */
  isYoung: boolean
}

/** A comparison of a checked signal. `truth` and `isKnown` are those over all places. */
export interface CheckedReading extends ComparisonReading {
  places: readonly PlaceReading[]
  /** Locations that do not count, because no check could ever be made there, with the sentence that says why. */
  unable: readonly { location: string; sentence: string }[]
}

export interface CheckedFacts {
  checked: CheckedSignal
  /** Readings of the Resource by source. A location without one counts as added at the instant of the judgement. */
  readings: Readonly<Record<string, Reading>>
}

export function readChecked(
  comparison: Comparison,
  { checked, readings }: CheckedFacts,
  answers: Answers,
  moment: Moment,
): CheckedReading {
  const places: PlaceReading[] = []
  const unable: { location: string; sentence: string }[] = []
  const instants: (number | null)[] = []
  for (const location of checked.locations) {
    const reading = readings[sourceAt(location, checked.suffix)]
    if (reading?.cannot !== undefined && reading.at === null) {
      unable.push({ location, sentence: reading.cannot })
      continue
    }
    const place = readPlace(comparison, checked, reading, answers, moment)
    const { young, changesAt: grownAt } = grownBy(reading, checked, moment)
    places.push({ location, reading: place, isYoung: young })
    instants.push(place.changesAt, grownAt)
  }
  return {
    ...combined(comparison, checked, places),
    unable,
    ...changes(instants, moment),
    laterAt: laterOf(places, instants, moment),
  }
}

/** Reads the comparison at one location. `reading` undefined: there is none yet. */
export function readPlace(
  comparison: Comparison,
  checked: CheckedSignal,
  reading: Reading | undefined,
  answers: Answers,
  moment: Moment,
): ComparisonReading {
  return readComparison(comparison, checkSilentAfterMs(checked), heardAt(reading), answers, moment)
}

/**
 * Returns the time after a check until its location is silent, ms. Another prober needs up to 30 s to take over, so checks in quick
 * succession have a least time.
 */
export const checkSilentAfterMs = ({ everySeconds }: Pick<CheckedSignal, 'everySeconds'>): number =>
  Math.max(limits.judging.silentIntervals * everySeconds * 1_000, limits.judging.silentMsMin)

/** Returns the newest result of a location in the form of an Observation. */
function heardAt(reading: Reading | undefined): HeardSignal {
  if (reading === undefined || reading.at === null) return nothingHeard
  const { at, ok, totalMs, error } = reading
  const state = ok ? ('ok' as const) : ('problem' as const)
  return { recent: [{ identity: '', atUs: at * 1_000, number: 0, state, value: totalMs, reason: error }], baselines: {} }
}

function grownBy(reading: Reading | undefined, { graceMs }: CheckedSignal, { at, silenceAt }: Moment) {
  if (reading === undefined) return readNeverReported(at, graceMs, at)
  return reading.at === null ? readNeverReported(reading.addedAt, graceMs, silenceAt) : { young: false, changesAt: null }
}

const laterOf = (places: readonly PlaceReading[], instants: readonly (number | null)[], moment: Moment): number | null =>
  earliest([changes(instants, moment).laterAt, ...places.map(({ reading }) => reading.laterAt)])

/** Returns the reading over all places, without its deadlines. */
function combined(
  comparison: Comparison,
  { agreement }: CheckedSignal,
  places: readonly PlaceReading[],
): Omit<CheckedReading, 'unable' | 'changesAt' | 'laterAt'> {
  const isKnown = isSignalKnown(places)
  const truth = comparison.field === 'known' ? isKnown : truthOf(agreement, places)
  const reported = places.find(({ reading }) => reading.newest !== null)?.reading ?? null
  const unresolved = places.find(({ reading }) => reading.unresolved !== null)?.reading.unresolved ?? null
  return {
    comparison,
    truth,
    isKnown: isKnown === true,
    newest: reported?.newest ?? null,
    unresolved: truth === 'unknown' ? (unresolved ?? { why: 'never reported' }) : null,
    matching: null,
    baseline: null,
    places,
  }
}

/**
 * Returns the reading with every place ok whose first result may still come; null: no such place decides it. A signal that cannot be checked
 * anywhere is ok, too.
 */
export function grownReading(reading: CheckedReading, { agreement }: CheckedSignal): CheckedReading | null {
  const { comparison, places } = reading
  if (places.length > 0 && !places.some(({ isYoung }) => isYoung)) return null
  if (comparison.field === 'known') return reading.truth === 'unknown' ? { ...reading, truth: false } : null
  const grown = places.map(place => (place.isYoung ? { ...place, isYoung: false, reading: asFalse(place.reading) } : place))
  const truth = places.length === 0 ? false : truthOf(agreement, grown)
  return { ...reading, truth, isKnown: places.length === 0 || isSignalKnown(grown) === true }
}

const asFalse = (reading: ComparisonReading): ComparisonReading => ({ ...reading, truth: false, isKnown: true })

/** Returns the truth by the agreement; unknown also if at least half of the places are unknown. */
function truthOf(agreement: CheckedSignal['agreement'], places: readonly PlaceReading[]): ComparisonReading['truth'] {
  const inputs = places.map(({ reading, isYoung }): DecidedInput => ({ value: reading.truth, young: isYoung }))
  const verdict = decide(inputs, { kind: agreement }, { halfSilentIsNoData: true })
  return verdict === 'problem' ? true : verdict === 'ok' ? false : 'unknown'
}

/**
 * Returns whether the signal is known: fewer than half of its places are unknown. While places whose first result may still come decide it,
 * it is unknown.
 */
function isSignalKnown(places: readonly PlaceReading[]): ComparisonReading['truth'] {
  const isLacking = ({ reading }: PlaceReading): boolean => !isFresh(reading)
  const lacking = places.filter(isLacking)
  if (2 * lacking.length < places.length) return true
  const grown = lacking.filter(({ isYoung }) => !isYoung)
  return places.length === 0 || 2 * grown.length < places.length ? 'unknown' : false
}

/** A comparison of `known` may ask for a reading within a time; every other one, for one that is not silent. */
const isFresh = ({ comparison, truth, isKnown }: ComparisonReading): boolean =>
  comparison.field === 'known' ? truth === true : isKnown
