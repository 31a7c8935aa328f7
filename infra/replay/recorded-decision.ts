// Check that the recorded evidence of a Template's rule leads to the recorded verdict and explanation. Records do not contain the decision
// of the rule. So this file checks whether any decision over the recorded readings can give the verdict. Pure. Reference:
// docs/reference/v3.md, 4.9 and 4.10.
import type { DecisionInput, EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'
import { isPlatformKey } from '#shared/subjects/resource-signals.ts'

export interface DecisionReading extends EvidenceInput {
  reading: DecisionInput
}

export const isOfDecision = (input: EvidenceInput): input is DecisionReading =>
  typeof input.reading === 'object' && input.reading !== null

/** Returns the faults. `inputs`: all inputs of the rule; none may be omitted. */
export function decisionFaults(verdict: string, explanation: string, inputs: readonly DecisionReading[]): string[] {
  const faults = inputs.filter(input => !isReadable(input)).map(({ input }) => `the evidence of ${input} contradicts itself`)
  // Inputs of checked signals are those of locations. Records do not contain which of them one comparison has read.
  if (inputs.some(({ reading }) => isPlatformKey(reading.signal))) return faults
  if (!isExplained(explanation.replace(flappingWords, ''), inputs))
    faults.push(`recorded explanation "${explanation}" does not agree with its evidence`)
  if (!allows(verdict, explanation, inputs)) faults.push(`its evidence does not allow the verdict ${verdict}`)
  return faults
}

/** The words of a rule that is flapping (v3 4.14). Records do not contain the changes that were counted. */
const flappingWords = /, changed \d+ times in (?:\d+[hms])+$/

/**
 * Returns true if the fields `input`, `value`, `at` and `reason` agree with the reading. Evidence of every kind of rule has these fields.
 */
function isReadable({ input, value, at, reason, reading }: DecisionReading): boolean {
  const { signal, status, atUs, unresolved } = reading
  const isResolved = status !== undefined && atUs !== undefined && unresolved === undefined
  const isUnresolved = status === undefined && atUs === undefined && unresolved !== undefined
  return (
    (isResolved || isUnresolved) &&
    input === signal &&
    value === (status ?? 'unknown') &&
    at === (atUs === undefined ? null : Math.floor(atUs / 1_000)) &&
    reason === (reading.reason ?? unresolved ?? null)
  )
}

function isExplained(explanation: string, inputs: readonly DecisionReading[]): boolean {
  const { namesListed } = limits.judging
  const more = inputs.length > namesListed ? ` and ${inputs.length - namesListed} more` : ''
  if (!explanation.endsWith(more)) return false
  const said = explanation.slice(0, explanation.length - more.length).split(', ')
  const listed = inputs.slice(0, namesListed)
  return said.length === listed.length && listed.every(({ reading }, i) => wordsOf(reading).includes(said[i] as string))
}

/**
 * Returns the possible texts of a reading. A reading may have several texts, because the evidence does not show whether the rule compared
 * the state, the value, or only whether the reading is known.
 */
function wordsOf({ signal, status, value, unresolved, counted, baseline }: DecisionInput): string[] {
  if (unresolved !== undefined) {
    const silent = unresolved.replace(/^silent since /, 'nothing reported since ').replace(/^the sender reported /, '')
    const why = unresolved === 'never reported' ? 'nothing has been reported here' : silent
    return [`${signal} unresolved (${why})`, notKnown(signal)]
  }
  const read = `${signal} ${JSON.stringify(value)}`
  if (counted) return [`${read} (${counted.matching} of ${counted.required} in ${counted.within_seconds} s)`]
  if (baseline) return [`${read} (${baseline.days}d median ${baseline.median ?? 'none'} of ${baseline.samples} readings)`]
  return [`${signal} ${status}`, `${signal} known`, ...(value === undefined ? [] : [read])]
}

const notKnown = (signal: string) => `${signal} not known`

/**
 * Returns true if any decision over these readings can give the verdict. An unknown input that the explanation does not name may be
 * compared by `known`.
 */
function allows(verdict: string, explanation: string, inputs: readonly DecisionReading[]): boolean {
  const isUndecided = ({ reading }: DecisionReading) =>
    reading.unresolved !== undefined || reading.counted !== undefined || reading.baseline !== undefined
  if (verdict === 'not_judged') return inputs.some(isUndecided)
  if (verdict !== 'problem' && verdict !== 'ok') return false
  const isDecided = ({ reading }: DecisionReading, i: number) =>
    reading.unresolved === undefined || i >= limits.judging.namesListed || explanation.includes(notKnown(reading.signal))
  return inputs.some(isDecided)
}
