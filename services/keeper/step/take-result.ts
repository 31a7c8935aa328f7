// A check result arrives: stored as an observation, judged when it changes what its location reads. Pure.
import type { CheckObservationDocument } from '#shared/contracts/observation.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subject.ts'
import { intervalMs, type WebsiteCheck } from '#shared/contracts/website.ts'
import { checkObservationId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { redactedText } from '#shared/redaction.ts'
import { judgeSubject } from './judge-subject.ts'
import { stillAwaited } from './receipts.ts'
import type { Input, Step, Surrounding } from './types.ts'

type ResultInput = Extract<Input, { kind: 'result' }>

/**
 * A result is known by its location and slot: an older or equal slot changes nothing (an older one is still kept as an
 * observation), unless the newer one has not come yet: then the bus's clock was set back. A report from a location that the subject
 * does not have, on an assignment that has changed since, or on a slot that has not come yet is dropped.
 */
export function takeResult(subject: SubjectDocument, input: ResultInput, surrounding: Surrounding): Step {
  const { locationId, result } = input
  const dropped: Step = { subject, change: 'nothing', observation: null, reply: null }
  const { check, checkRev } = subject
  if (!check?.locations.includes(locationId) || checkRev === null || result.rev < checkRev) return dropped
  const slotAtMax = input.stampedAt + limits.keeper.slotAheadMs
  if (result.slotAt > slotAtMax - result.ageMs) return dropped
  const reading = subject.readings[locationId]
  if (reading === undefined || reading.slotAt === result.slotAt) return dropped
  const error = errorOf(result)
  const observation = observationOf(subject.id, input, error)
  const isOlder = result.slotAt < (reading.slotAt ?? 0)
  // What is read again after a crash is older than slots that have come: they are held against the bus's time of now, not of the report.
  const waitedMs = surrounding.now - (input.at + result.ageMs)
  if (isOlder && (reading.slotAt ?? 0) <= slotAtMax + waitedMs) return { ...dropped, observation }
  // Newer by time wins over what a sender reported (v3 7.4). The slot has come all the same.
  if (reading.isPushed && reading.at !== null && input.at < reading.at) {
    const overtaken = { ...subject, readings: { ...subject.readings, [locationId]: { ...reading, slotAt: result.slotAt } } }
    return { subject: overtaken, change: 'freshness', observation, reply: null }
  }

  const fresh: Reading = {
    addedAt: reading.addedAt,
    slotAt: result.slotAt,
    at: input.at,
    ok: result.ok,
    error,
    statusCode: result.statusCode,
    totalMs: Math.round(result.phases.totalMs),
  }
  const readings = { ...subject.readings, [locationId]: fresh }
  const reported = { ...subject, readings, receipts: stillAwaited(subject.receipts, surrounding.now) }
  const isJudgedByEach = subject.kind === 'custom' || isOlder
  if (!isJudgedByEach && reading.ok === result.ok && isHeard(reading, check, Math.max(input.at, subject.judgedAt))) {
    return { subject: reported, change: 'freshness', observation, reply: null }
  }
  return { subject: judgeSubject(reported, input.at, surrounding), change: 'commit', observation, reply: null }
}

/**
 * Whether the reading before still spoke at `at`, so that another report of the same kind changes no input. A report may come after
 * a judgement later than itself: what that judgement called silent speaks again.
 */
function isHeard(reading: Reading, check: WebsiteCheck, at: number): boolean {
  return reading.at !== null && at - reading.at <= limits.judging.silentIntervals * intervalMs(check)
}

/** It is shown in evidence, in messages and in the log: an address in it is redacted (docs/reference/v3.md, 11.2). */
const errorOf = ({ error }: ResultInput['result']): string | null =>
  error === null ? null : firstCharacters(redactedText(error), limits.check.errorCharacters)

function observationOf(
  subjectId: string,
  { stampedAt, locationId, result }: ResultInput,
  error: string | null,
): CheckObservationDocument {
  const { phases } = result
  const whole = (ms: number | null) => (ms === null ? null : Math.round(ms))
  return {
    id: checkObservationId(subjectId, locationId, result.slotAt),
    ok: result.ok ? 1 : 0,
    delayMs: Math.max(0, stampedAt - result.ageMs - result.slotAt),
    dnsMs: whole(phases.dnsMs),
    connectMs: whole(phases.connectMs),
    tlsMs: whole(phases.tlsMs),
    firstByteMs: whole(phases.firstByteMs),
    totalMs: Math.round(phases.totalMs),
    statusCode: result.statusCode,
    error,
  }
}
