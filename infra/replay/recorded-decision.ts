// The evidence of a Template's rule against its own verdict and sentence. No record determines which decision gave the verdict: it is known
// only that some decision over these readings gives it. Pure. Rules: docs/reference/v3.md, 4.9 and 4.10.
import type { DecisionInput, EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'

export interface DecisionReading extends EvidenceInput {
  reading: DecisionInput
}

export const isOfDecision = (input: EvidenceInput): input is DecisionReading =>
  typeof input.reading === 'object' && input.reading !== null

/** `inputs`: all of a rule's, none is omitted. */
export function decisionFaults(verdict: string, explanation: string, inputs: readonly DecisionReading[]): string[] {
  const faults = inputs.filter(input => !isReadable(input)).map(({ input }) => `nothing reads as the evidence of ${input}`)
  if (!isExplained(explanation, inputs)) faults.push(`recorded explanation "${explanation}" is not what its evidence says`)
  if (!bears(verdict, explanation, inputs)) faults.push(`its evidence does not bear the verdict ${verdict}`)
  return faults
}

/** The members that every language has follow from the reading. */
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

/** The words that a reading may have: the evidence does not say whether state, value, or being known was compared. */
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

/** Of any decision over these readings. Those past the listed ones may all be asked whether they are known. */
function bears(verdict: string, explanation: string, inputs: readonly DecisionReading[]): boolean {
  const isUndecided = ({ reading }: DecisionReading) =>
    reading.unresolved !== undefined || reading.counted !== undefined || reading.baseline !== undefined
  if (verdict === 'not_judged') return inputs.some(isUndecided)
  if (verdict !== 'problem' && verdict !== 'ok') return false
  const isDecided = ({ reading }: DecisionReading, i: number) =>
    reading.unresolved === undefined || i >= limits.judging.namesListed || explanation.includes(notKnown(reading.signal))
  return inputs.some(isDecided)
}
