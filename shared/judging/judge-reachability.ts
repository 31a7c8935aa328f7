// The rule Reachability of a website monitor. The rule has one input for each location. The failure mode of the monitor says how many
// locations must fail (reference/judging 2). Pure.

import { type FailureMode, intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { decide, type Need } from '#shared/judging/decide.ts'
import { earliest, type Judgement } from '#shared/judging/judgement.ts'
import { readInput, readNeverReported, wordOf } from '#shared/judging/read-input.ts'
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
  const terms = { silentAfterMs: limits.judging.silentIntervals * intervalMs(check), graceMs: limits.judging.websiteGraceMs }
  const inputs = check.locations.map(location => {
    const reading = readings[location]
    return { location, ...(reading ? readInput(reading, terms, silenceAt) : readNeverReported(at, terms.graceMs, at)) }
  })
  const verdict = decide(inputs, needs[check.failure_mode], { halfSilentIsNoData: true })
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

/** Returns one sentence that explains the verdict. Only verdict and evidence decide the sentence, so a replay returns the same sentence. */
export function explainReachability(verdict: Verdict, inputs: readonly EvidenceInput[]): string {
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
