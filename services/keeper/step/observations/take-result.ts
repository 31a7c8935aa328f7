// Intake of a check result: stored as an observation, and judged if it changes the reading of its location. Pure.
import type { CheckObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { silentAfterMs } from '#shared/judging/judge-reachability.ts'
import { checkSilentAfterMs, readPlace } from '#shared/judging/read-checked.ts'
import { limits } from '#shared/limits/limits.ts'
import { comparisonsOf } from '#shared/manifest/read-decision.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { checkedSignalKey } from '#shared/subjects/resource-signals.ts'
import { sourceAt } from '#shared/subjects/sources.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { changeBetween } from '../change.ts'
import { closeUnable } from '../checks/close-unable.ts'
import { stillAwaited } from '../commands/idempotency.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import type { Input, Step, StepContext } from '../types.ts'

type ResultInput = Extract<Input, { kind: 'result' }>

/**
 * Takes a check result. A result is identified by its source and slot. A result with the slot of the source's reading is dropped. A
 * result with an older slot is usually stored but not judged. It is judged only if the reading's slot lies in the future, because the bus's
 * clock was set back. Also drops results from a location that the subject lacks, results of an earlier assignment, and results for a future
 * slot.
 */
export function takeResult(subject: SubjectDocument, input: ResultInput, context: StepContext): Step {
  const { result } = input
  const dropped: Step = { subject, change: 'nothing', observation: null, reply: null }
  const { checkRev } = subject
  const checked = checkedOf(subject, input)
  if (checked === undefined || checkRev === null || result.rev < checkRev) return dropped
  const source = checked === null ? input.locationId : sourceAt(input.locationId, checked.suffix)
  const slotAtMax = input.stampedAt + limits.keeper.slotAheadMs
  if (result.slotAt > slotAtMax - result.ageMs) return dropped
  const reading = subject.readings[source]
  if (reading === undefined || reading.slotAt === result.slotAt) return dropped
  const error = errorOf(result)
  if (result.cannot) return takeInability(subject, source, { ...input, cannot: error ?? '' }, context)
  const observation = observationOf(subject.id, source, input, error)
  const isOlder = result.slotAt < (reading.slotAt ?? 0)
  // After a crash, results are read again late, so slots are compared with the bus's present time, not with the time of the report.
  const waitedMs = context.now - (input.at + result.ageMs)
  if (isOlder && (reading.slotAt ?? 0) <= slotAtMax + waitedMs) return { ...dropped, observation }
  // A newer report of a sender has priority as the reading (v3 7.4). The slot still counts as reported.
  if (reading.isPushed && reading.at !== null && input.at < reading.at) {
    const overtaken = { ...subject, readings: { ...subject.readings, [source]: { ...reading, slotAt: result.slotAt } } }
    return { subject: overtaken, change: 'freshness', observation, reply: null }
  }

  const fresh: Reading = {
    addedAt: reading.addedAt,
    slotAt: result.slotAt,
    at: input.at,
    ok: result.ok,
    error,
    statusCode: result.statusCode,
    totalMs: roundedValue(result),
  }
  const readings = { ...subject.readings, [source]: fresh }
  const reported = { ...subject, readings, idempotency: stillAwaited(subject.idempotency, context.now) }
  const isJudgedByEach = subject.kind === 'custom' || isOlder
  const change = { before: reading, after: fresh, at: Math.max(input.at, subject.judgedAt) }
  const isAlike = checked === null ? isAlikeOf(subject, change) : isAlikeFor(subject, checked, change, context)
  if (!isJudgedByEach && reading.cannot === undefined && isAlike) {
    // Another reason of a location that still fails may be the new cause of the open incident, and changes nothing else.
    const named = checked === null ? source : checkedSignalKey(checked.signal, input.locationId)
    const judged = saysAnother(subject, named, error) ? judgeSubject(reported, input.at, context) : reported
    return {
      subject: judged,
      change: changeBetween(reported, judged) === 'commit' ? 'commit' : 'freshness',
      observation,
      reply: null,
    }
  }
  return { subject: judgeSubject(reported, input.at, context), change: 'commit', observation, reply: null }
}

/**
 * Takes a result that says why the prober could not check. It is no reading and is not stored: the earlier reading goes on and becomes
 * silent. Only its sentence is kept, and judged if it is another one.
 */
function takeInability(
  subject: SubjectDocument,
  source: string,
  { result, at, cannot }: ResultInput & { cannot: string },
  context: StepContext,
): Step {
  const reading = subject.readings[source]
  const nothing: Step = { subject, change: 'nothing', observation: null, reply: null }
  if (reading === undefined || reading.cannot === cannot || result.slotAt < (reading.slotAt ?? 0)) return nothing
  const { isUnmade: _, ...known } = reading
  const readings = { ...subject.readings, [source]: { ...known, cannot } }
  const judged = judgeSubject({ ...subject, readings }, at, context)
  return { ...nothing, subject: judged.templated?.checks === undefined ? judged : closeUnable(judged, context), change: 'commit' }
}

/**
 * Returns the checked signal of the result; null: the subject has one check alone. Undefined: the subject has no such check at the location.
 */
function checkedOf(
  { check, templated }: SubjectDocument,
  { locationId, result: { signal } }: ResultInput,
): CheckedSignal | null | undefined {
  if (check !== null) return signal === undefined && check.locations.includes(locationId) ? null : undefined
  return templated?.checks?.find(one => one.signal === signal && one.locations.includes(locationId))
}

interface ReadingChange {
  before: Reading
  after: Reading
  at: number
}

/** Returns whether the result has the outcome of the location's valid reading, so that it changes nothing but the age of the reading. */
const isAlikeOf = ({ check }: SubjectDocument, { before, after, at }: ReadingChange): boolean =>
  check !== null && before.ok === after.ok && isHeard(before, silentAfterMs(check), at)

/** Returns whether the result changes no comparison at its location (v3 4.15). */
function isAlikeFor(
  subject: SubjectDocument,
  checked: CheckedSignal,
  { before, after, at }: ReadingChange,
  { templateOf }: StepContext,
): boolean {
  if (subject.templated === null || !isHeard(before, checkSilentAfterMs(checked), at)) return false
  const { answers } = subject.templated
  return templateOf(subject).rules.every(({ decision }) =>
    comparisonsOf(decision).every(comparison => {
      if (comparison.signal !== checked.signal) return true
      const read = (reading: Reading) => readPlace(comparison, checked, reading, answers, { at, silenceAt: at })
      const [was, is] = [read(before), read(after)]
      return was.truth === is.truth && was.isKnown === is.isKnown
    }),
  )
}

/** Returns whether a location fails for another reason than an open incident has recorded. `named`: the input of the evidence. */
const saysAnother = ({ rules }: SubjectDocument, named: string, error: string | null): boolean =>
  error !== null &&
  rules.some(
    ({ incident, verdict }) =>
      incident !== null &&
      verdict?.evidence.inputs.some(({ input, value, reason }) => input === named && value === 'problem' && reason !== error),
  )

/**
 * Returns whether the earlier reading was still valid at `at`, so that another report with the same outcome changes no input. A report may
 * arrive after the subject was judged at a later instant: an input that was judged silent at that instant is then valid again.
 */
function isHeard(reading: Reading, silentAfter: number, at: number): boolean {
  return reading.at !== null && at - reading.at <= silentAfter
}

/** Returns the value of a check, rounded: the total time in ms, or what its kind finds instead; null: it has none. */
function roundedValue({ value, phases }: ResultInput['result']): number | null {
  const exact = value === undefined ? phases.totalMs : value
  return exact === null ? null : Math.round(exact)
}

/** Returns the error, with addresses redacted, because evidence, messages and the log show it (docs/reference/v3.md, 11.2). */
const errorOf = ({ error }: ResultInput['result']): string | null =>
  error === null ? null : firstCharacters(redactedText(error), limits.check.errorCharacters)

function observationOf(
  subjectId: string,
  source: string,
  { stampedAt, result }: ResultInput,
  error: string | null,
): CheckObservationDocument {
  const { phases } = result
  const whole = (ms: number | null) => (ms === null ? null : Math.round(ms))
  return {
    id: checkObservationId(subjectId, source, result.slotAt),
    ok: result.ok ? 1 : 0,
    delayMs: Math.max(0, stampedAt - result.ageMs - result.slotAt),
    dnsMs: whole(phases.dnsMs),
    connectMs: whole(phases.connectMs),
    tlsMs: whole(phases.tlsMs),
    firstByteMs: whole(phases.firstByteMs),
    totalMs: roundedValue(result),
    statusCode: result.statusCode,
    error,
  }
}
