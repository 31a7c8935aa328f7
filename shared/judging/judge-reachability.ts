// The rule Reachability of a website monitor. The rule has one input for each location. The failure mode of the monitor says how many
// locations must fail (reference/judging 2). Pure.

import { type FailureMode, intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { decide, type Need } from '#shared/judging/decide.ts'
import { earliest, type Judgement } from '#shared/judging/judgement.ts'
import { cannotWord, type InputReading, readInput, readNeverReported, wordOf } from '#shared/judging/read-input.ts'
import { limits } from '#shared/limits/limits.ts'

const needs: Record<FailureMode, Need> = {
  at_least_one: { kind: 'any' },
  majority: { kind: 'majority' },
  all: { kind: 'all' },
}

/**
 * Judges a website monitor at the instant `at` by the newest reports of its locations. `readings`: reading of each location, by location
 * id. A location without a reading is treated as added at `at`, without a report so far. `silenceAt`: as in `readInput`.
 */
export function judgeReachability(
  check: StoredCheck,
  readings: Readonly<Record<string, Reading>>,
  at: number,
  silenceAt: number,
): Judgement {
  const terms = { silentAfterMs: silentAfterMs(check), graceMs: limits.judging.websiteGraceMs }
  const isUnable = (location: string) => readings[location]?.at === null && readings[location].cannot !== undefined
  const inputs = check.locations.map(location => {
    const reading = readings[location]
    if (reading?.cannot !== undefined && isUnable(location)) return { location, ...unableToRead(reading.cannot) }
    return { location, ...(reading ? readInput(reading, terms, silenceAt) : readNeverReported(at, terms.graceMs, at)) }
  })
  const able = inputs.filter(({ location }) => !isUnable(location))
  const verdict =
    able.length === 0 && inputs.length > 0 ? 'not_judged' : decide(able, needs[check.failure_mode], { halfSilentIsNoData: true })
  const evidence = inputs.map(input => ({
    input: input.location,
    value: wordOf(input.value),
    at: input.at,
    reason: input.reason,
  }))
  return {
    verdict,
    explanation: explainReachability(verdict, evidence),
    evidence: { inputs: evidence, omitted: 0, truncated: false },
    nextAt: earliest(inputs.map(input => input.changesAt)),
  }
}

/**
 * Returns the time after a report until its location is silent, ms. Another prober needs up to 30 s to take over, so checks in quick
 * succession have a least time.
 */
export function silentAfterMs(check: StoredCheck): number {
  const ms = limits.judging.silentIntervals * intervalMs(check)
  return check.interval_seconds === undefined ? ms : Math.max(ms, limits.judging.silentMsMin)
}

/** Reading of a location where no check could ever be made: it is left out of the decision. */
const unableToRead = (sentence: string): InputReading => ({
  value: 'unknown',
  young: false,
  at: null,
  reason: `${cannotWord}${sentence}`,
  changesAt: null,
})

/** Returns one sentence that explains the verdict. Only verdict and evidence decide the sentence, so a replay returns the same sentence. */
export function explainReachability(verdict: Verdict, inputs: readonly EvidenceInput[]): string {
  const lacks = inputs.filter(({ at, reason }) => at === null && reason?.startsWith(cannotWord))
  const [{ reason = null } = {}] = lacks
  if (reason === null) return explainAble(verdict, inputs)
  const sentence = reason.slice(cannotWord.length)
  if (lacks.length === inputs.length) return `cannot be checked (${sentence})`
  const places = lacks.length === 1 ? 'location' : 'locations'
  const able = inputs.filter(input => !lacks.includes(input))
  return `${explainAble(verdict, able)} (${lacks.length} ${places} cannot: ${sentence})`
}

function explainAble(verdict: Verdict, inputs: readonly EvidenceInput[]): string {
  const n = inputs.length
  const failing = inputs.filter(input => input.value === 'problem').length
  const silent = inputs.filter(input => input.value === 'unknown').length
  const places = n === 1 ? 'location' : 'locations'
  if (n === 0) return 'no locations assigned, so nothing checks it'
  if (verdict === 'not_judged') return `waiting for the first report of ${silent} of ${n} ${places}`
  if (verdict === 'no_data') return `no reports from ${silent} of ${n} ${places}`
  if (failing > 0) return `${failing} of ${n} ${places} failing`
  return silent > 0 ? `${n - silent} of ${n} ${places} ok` : n === 1 ? 'the location reports ok' : `all ${n} locations ok`
}
