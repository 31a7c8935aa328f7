// Roll-ups leave: with their subject or signal, or when they are too old.
import type { RollUpDocument } from '#shared/contracts/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { endOfPrefix } from '#shared/ids.ts'
import { day, limits } from '#shared/limits.ts'
import { parseRollUpId, rollUpId, rowPrefix, type Source } from '#shared/roll-up/roll-up-ids.ts'
import type { PatientStore } from './patient-store.ts'
import { removeRange } from './remove-range.ts'
import { rolledUpSources } from './sources.ts'

type Remover = Pick<PatientStore, 'deleteRange'>

/** Days first: what is left is found by its hours, also after a crash between them. */
const levels = ['day', 'hour'] as const

/** All roll-ups of a subject. */
export const removeOfSubject = (store: Remover, subjectId: string): Promise<void> =>
  removeRange(store, 'rollUps', subjectId, endOfPrefix(subjectId))

/** All roll-ups of a signal (by its key) or a location. */
export async function removeOfSource(store: Remover, subjectId: string, source: Source): Promise<void> {
  for (const level of levels) {
    const prefix = rowPrefix(subjectId, source, level)
    await removeRange(store, 'rollUps', prefix, endOfPrefix(prefix))
  }
}

/** Roll-ups of a subject whose time is over at `now`, and those of signals that it does not have any more. */
export async function expireRollUps(store: PatientStore, subject: SubjectDocument, now: number): Promise<void> {
  const oldest = Math.floor((now - limits.retention.rollUpsMs) / day) * day
  for (const source of await rolledUpSources(store, subject.id)) {
    if (!isOf(subject, source)) await removeOfSource(store, subject.id, source)
    for (const level of levels) {
      const prefix = rowPrefix(subject.id, source, level)
      await removeRange(store, 'rollUps', prefix, rollUpId(subject.id, source, level, oldest))
    }
  }
}

/**
 * What was deleted while its rows were being computed: they were written after its removal had begun, and may have been missed by it.
 * `subject` as it was read after the write; null: it is gone.
 */
export async function removeOrphans(
  store: Remover,
  subjectId: string,
  subject: SubjectDocument | null,
  written: readonly RollUpDocument[],
): Promise<void> {
  if (subject === null || subject.deletedAt !== null) return await removeOfSubject(store, subjectId)
  const sources = written.map(row => parseRollUpId(row.id).source).filter(source => !isOf(subject, source))
  for (const source of new Map(sources.map(one => [one.id, one])).values()) await removeOfSource(store, subjectId, source)
}

/** A location that a subject gave up keeps what was seen from there; a deleted signal is gone. */
const isOf = (subject: SubjectDocument, { kind, id }: Source): boolean =>
  kind === 'location' || (subject.custom?.signals.some(signal => signal.key === id) ?? false)
