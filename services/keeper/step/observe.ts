// A Resource's signal is reported on: the Observation is stored by its identity and judged where it is accepted (docs/reference/v3.md, section 7).
// Pure: what is stored of earlier Observations comes with the surrounding.
import type { ObservationIdDocument, PushedObservationDocument } from '#shared/contracts/observation.ts'
import type { ObservedResult } from '#shared/contracts/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { observationIdKey, parsePushedObservationId, shortHash } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { declaredSignalKey, isDeclaredKey } from '#shared/resource-signals.ts'
import { refusalOf, type Target, targetAt, targetOf } from './observation-target.ts'
import { identityOf, isSame, observationRowId, placeOf, rowOf, type StampedObservation } from './observed-row.ts'
import type { Refusal } from './refusal.ts'
import { invalid } from './resource-commands.ts'
import { type Effect, takeDeclared, takeHeard, takeReading, takeSelected } from './take-observed.ts'
import type { Surrounding } from './types.ts'

export type Observed =
  | (Effect & { row: PushedObservationDocument; place: ObservationIdDocument | null; result: ObservedResult })
  | { repeated: ObservedResult }
  | { refused: Refusal }

/** Facts that all parts of the intake of one Observation share. `at`: the keeper's now, ms. `template`: null if none was published for it. */
interface Intake {
  subject: SubjectDocument
  sent: StampedObservation
  at: number
  template: Template | null
  surrounding: Surrounding
}

/** `at` is the keeper's now, ms. */
export function observe(subject: SubjectDocument, sent: StampedObservation, at: number, surrounding: Surrounding): Observed {
  const template = subject.templated === null ? null : surrounding.templateOf(subject)
  const intake: Intake = { subject, sent, at, template, surrounding }
  const place = sent.sentId === null ? null : surrounding.stored.place(observationIdKey(subject.id, sent.sentId))
  const again = place && observeAgain(intake, place, sent.sentId as string)
  if (again !== null) return again
  const target = targetOf(subject, sent, template, at)
  if ('refused' in target) return target
  const refused = refusalOf(target, sent)
  if (refused !== null) return { refused }
  const fault = instantFault(sent, at)
  if (fault !== null) return { refused: invalid('at', fault) }
  const row = rowOf(subject.id, target.key, sent, at)
  // The row of a sender's id is written behind its place: without a place there is none.
  return take(intake, target, row, sent.sentId === null ? surrounding.stored.pushed(row.id) : null)
}

/**
 * An id that was sent before: the first answer, whatever else it carries. A crash may have come between the writes of a report, which then was
 * never answered: its row is written where it belongs, and judged. Null: the report is a new one, because what the first one said is lost.
 */
function observeAgain(intake: Intake, place: ObservationIdDocument, sentId: string): Observed | null {
  const { subject, sent, at, template, surrounding } = intake
  const { signalKey, atUs } = place
  const isCreated = place.createdSignal === 1
  const repeated = { ok: true as const, signal: signalKey, observation: sentId, createdSignal: isCreated }
  const known = targetAt(subject, signalKey, template)
  // Only a crash leaves the place of a declared signal without the signal.
  if (known === null && isDeclaredKey(signalKey) && declaredSignalKey(sent.signal) !== signalKey) return null
  const target = known ?? (isDeclaredKey(signalKey) ? targetOf(subject, sent, template, at) : null)
  if (target === null || atUs < (at - limits.retention.pushedMs) * 1_000) return { repeated }
  if ('refused' in target) return target
  const before = surrounding.stored.pushed(
    observationRowId(subject.id, signalKey, { sentId, labels: {}, atUs, isStampedHere: false }),
  )
  if (before !== null) return take(intake, target, before, before)
  if (target.slug !== sent.signal) return null
  const refused = refusalOf(target, sent)
  return refused === null ? take(intake, target, rowOf(subject.id, signalKey, { ...sent, atUs }, at), null) : { refused }
}

/** `before`: the row of this identity that is stored already; null: there is none. */
function take(
  intake: Intake,
  target: Target,
  row: PushedObservationDocument,
  before: PushedObservationDocument | null,
): Observed {
  const { subject, sent } = intake
  const isRepeated = before !== null && isSame(before, row)
  const isCreated = target.of === 'declared' && target.isNew
  const observation = sent.sentId ?? shortHash(row.id)
  const result = (createdSignal: boolean) => ({ ok: true as const, signal: target.key, observation, createdSignal })
  const effect = effectOf(intake, target, row, isRepeated ? before : null)
  if (effect === null) return { repeated: result(hasDeclared(target, row)) }
  const { observedAtUs: atUs } = parsePushedObservationId(row.id)
  const { sentId } = sent
  const place = sentId === null ? null : placeOf(subject.id, { signalKey: target.key, sentId, atUs, isCreated })
  const taken = before === null || isRepeated ? effect.subject : forgetDeclaration(effect.subject, target, row)
  return { ...effect, subject: taken, row, place, result: result(isCreated) }
}

/** Null: it is `repeated`, and its signal has heard it. */
function effectOf(
  { subject, at, template, surrounding }: Intake,
  target: Target,
  row: PushedObservationDocument,
  repeated: PushedObservationDocument | null,
): Effect | null {
  const taking = { row, repeated, at, surrounding }
  if (target.of === 'website') return takeReading(subject, target, taking)
  if (target.of === 'declared') return takeDeclared(subject, target, taking)
  return target.of === 'authored' || template === null
    ? takeSelected(subject, target.signal, taking)
    : takeHeard(subject, target.signal, template, taking)
}

/** Whether the Observation of this row was the one that declared its signal, which a rebind may have made the Template's since. */
const hasDeclared = (target: Target, { id }: PushedObservationDocument): boolean =>
  target.of !== 'website' && target.signal.declaredBy === identityOf(id)

/** The content that declared the signal was replaced: the first answer of the new one is another (v3 7.2). */
function forgetDeclaration(subject: SubjectDocument, target: Target, row: PushedObservationDocument): SubjectDocument {
  if (subject.custom === null || !hasDeclared(target, row)) return subject
  const signals = subject.custom.signals.map(({ declaredBy, ...signal }) =>
    declaredBy === undefined || signal.key === target.key ? signal : { ...signal, declaredBy },
  )
  return { ...subject, custom: { ...subject.custom, signals } }
}

/** One that was stamped here is of now, however the clock went. */
function instantFault({ atUs, isStampedHere }: StampedObservation, at: number): string | null {
  if (isStampedHere) return null
  if (atUs > (at + limits.intake.clockSkewMs) * 1_000) return `'at' is more than ${limits.intake.clockSkewMs / 1_000} s ahead`
  return atUs < (at - limits.retention.pushedMs) * 1_000 ? "'at' is older than Observations are kept" : null
}
