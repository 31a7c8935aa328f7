// Observation on a Resource's signal: stored by its identity, and judged if accepted (docs/reference/v3.md, section 7). Pure: the context
// has the stored rows of earlier Observations.
import type { ObservationIdDocument, PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { declaredSignalKey, isDeclaredKey } from '#shared/subjects/resource-signals.ts'
import { observationIdKey, parsePushedObservationId, shortHash } from '#shared/text/ids.ts'
import type { Refusal } from '../commands/refusal.ts'
import { invalid } from '../commands/resource-commands.ts'
import { takeRun } from '../schedules/take-run.ts'
import type { StepContext } from '../types.ts'
import { refusalOf, type Target, targetAt, targetOf } from './observation-target.ts'
import { identityOf, isSame, observationRowId, placeOf, rowOf, type StampedObservation } from './observed-row.ts'
import { type Effect, takeDeclared, takeHeard, takeReading, takeSelected } from './take-observed.ts'

export type Observed =
  | (Effect & { row: PushedObservationDocument; place: ObservationIdDocument | null; result: ObservedResult })
  | { repeated: ObservedResult }
  | { refused: Refusal }

/**
 * Facts that all parts of the intake of one Observation share. `at`: present instant of the keeper, ms. `template`: null if none was
 * published for the Resource.
 */
interface Intake {
  subject: SubjectDocument
  sent: StampedObservation
  at: number
  template: Template | null
  context: StepContext
}

/** `at`: present instant of the keeper, ms. */
export function observe(subject: SubjectDocument, sent: StampedObservation, at: number, context: StepContext): Observed {
  const template = subject.templated === null ? null : context.templateOf(subject)
  const intake: Intake = { subject, sent, at, template, context }
  const place = sent.sentId === null ? null : context.stored.place(observationIdKey(subject.id, sent.sentId))
  const again = place && observeAgain(intake, place, sent.sentId as string)
  if (again !== null) return again
  const target = targetOf(subject, sent, template, at)
  if ('refused' in target) return target
  const refused = refusalOf(target, sent)
  if (refused !== null) return { refused }
  const fault = instantFault(sent, at - (context.aheadMs ?? 0))
  if (fault !== null) return { refused: invalid('at', fault) }
  const stamped = place === null ? sent : inPlace(sent, place, target, at)
  const row = rowOf(subject.id, target.key, stamped, { at, aheadMs: context.aheadMs ?? 0 })
  // Here a report with a sender's id has no stored row: `observeAgain` found none, and a row is written only after the place of its id.
  return take(intake, target, row, sent.sentId === null ? context.stored.pushed(row.id) : null)
}

/**
 * If an Observation with this id is stored, returns the first reply again, whatever else the report contains. If a crash prevented the
 * judgement of the first report, judges that report now. Null: the report counts as new, because the first report with this id was lost.
 */
function observeAgain(intake: Intake, place: ObservationIdDocument, sentId: string): Observed | null {
  const { subject, sent, at, template, context } = intake
  const { signalKey, atUs } = place
  const before = context.stored.pushed(
    observationRowId(subject.id, signalKey, { sentId, labels: {}, atUs, isStampedHere: false }),
  )
  // A crash, or a refused place of another id in the same round, leaves the place of an id without a row. In both cases no sender got a
  // reply.
  if (before === null) return null
  const isCreated = place.createdSignal === 1
  const repeated = { ok: true as const, signal: signalKey, observation: sentId, createdSignal: isCreated }
  const known = targetAt(subject, signalKey, template)
  // Only a crash leaves a place on a declared signal that the subject lacks. If the report now names another signal, it counts as new.
  if (known === null && isDeclaredKey(signalKey) && declaredSignalKey(sent.signal) !== signalKey) return null
  const target = known ?? (isDeclaredKey(signalKey) ? targetOf(subject, sent, template, at) : null)
  if (target === null || atUs < oldestUs(at)) return { repeated }
  return 'refused' in target ? target : take(intake, target, before, before)
}

/**
 * Returns the report. If the keeper stamps it, the report gets the stamp of its lost first sending, so that it replaces a late row of that
 * sending. A report with an instant from its sender is unchanged.
 */
function inPlace(sent: StampedObservation, place: ObservationIdDocument, target: Target, at: number): StampedObservation {
  const isThere = sent.isStampedHere && place.signalKey === target.key && place.atUs >= oldestUs(at)
  return isThere ? { ...sent, atUs: place.atUs } : sent
}

/** Returns the oldest instant from which Observations are kept, µs. `at`: present instant of the keeper, ms. */
const oldestUs = (at: number): number => (at - limits.retention.pushedMs) * 1_000

/** `before`: the stored row of this Observation's identity; null: none. */
function take(
  intake: Intake,
  target: Target,
  row: PushedObservationDocument,
  before: PushedObservationDocument | null,
): Observed {
  const { subject, sent } = intake
  const isRepeated = before !== null && isSame(before, withValueOf(before, target, row))
  const isCreated = target.of === 'declared' && target.isNew
  const observation = sent.sentId ?? shortHash(row.id)
  const result = (createdSignal: boolean) => ({ ok: true as const, signal: target.key, observation, createdSignal })
  const effect = effectOf(intake, target, row, isRepeated ? before : null)
  if (effect === null) return { repeated: result(hasDeclared(target, row)) }
  const { observedAtUs: atUs } = parsePushedObservationId(row.id)
  const { sentId } = sent
  const place = sentId === null ? null : placeOf(subject.id, { signalKey: target.key, sentId, atUs, isCreated })
  const taken = before === null || isRepeated ? effect.subject : forgetDeclaration(effect.subject, target, row)
  return { ...effect, subject: taken, row: effect.row ?? row, place, result: result(isCreated) }
}

/** Returns the row of a run with the duration that was measured when it came for the first time. */
const withValueOf = ({ value }: PushedObservationDocument, { kind }: Target, row: PushedObservationDocument) =>
  kind === scheduleKind && row.value === null ? { ...row, value } : row

/** Returns the effect of the report; null: the report equals the stored row `repeated`, and the signal already includes that row. */
function effectOf(
  { subject, sent, at, template, context }: Intake,
  target: Target,
  row: PushedObservationDocument,
  repeated: PushedObservationDocument | null,
): Effect | null {
  const taking = { row, repeated, at, isStampedHere: sent.isStampedHere, context }
  if (target.kind === scheduleKind && template !== null) return takeRun(subject, target.slug, template, taking)
  if (target.of === 'location') return takeReading(subject, target, taking)
  if (target.of === 'declared') return takeDeclared(subject, target, taking)
  return target.of === 'authored' || template === null
    ? takeSelected(subject, target.signal, taking)
    : takeHeard(subject, target.signal, template, taking)
}

/** Returns whether the Observation of this row declared its signal. After a rebind, the signal may belong to the Template. */
const hasDeclared = (target: Target, { id }: PushedObservationDocument): boolean =>
  target.of !== 'location' && target.signal.declaredBy === identityOf(id)

/**
 * Removes `declaredBy` from the signal that this Observation declared. When the Observation is sent again with other content, its reply
 * then does not report a new signal (v3 7.2).
 */
function forgetDeclaration(subject: SubjectDocument, target: Target, row: PushedObservationDocument): SubjectDocument {
  if (subject.custom === null || !hasDeclared(target, row)) return subject
  const signals = subject.custom.signals.map(({ declaredBy, ...signal }) =>
    declaredBy === undefined || signal.key === target.key ? signal : { ...signal, declaredBy },
  )
  return { ...subject, custom: { ...subject.custom, signals } }
}

/**
 * Returns what is wrong with the instant; null: nothing. `at`: present instant of the machine's clock, ms, because senders go by the real
 * time. A keeper's stamp is always valid, even if the keeper's clock was set.
 */
function instantFault({ atUs, isStampedHere }: StampedObservation, at: number): string | null {
  if (isStampedHere) return null
  if (atUs > (at + limits.intake.clockSkewMs) * 1_000) return `'at' is more than ${limits.intake.clockSkewMs / 1_000} s ahead`
  return atUs < oldestUs(at) ? "'at' is older than Observations are kept" : null
}
