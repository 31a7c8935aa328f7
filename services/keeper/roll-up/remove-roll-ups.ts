// Removal of roll-ups: together with their subject or signal, or by age.
import type { RollUpDocument } from '#shared/contracts/observations/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { parseRollUpId, rollUpId, rowPrefix, type Source } from '#shared/roll-up/roll-up-ids.ts'
import { endOfPrefix } from '#shared/text/ids.ts'
import { type RetryingStore, removeRange } from './retrying-store.ts'
import { rolledUpSources } from './sources.ts'

type Remover = Pick<RetryingStore, 'deleteRange'>

/** Daily roll-ups are removed first: after a crash, the next removal still finds the source by its remaining hourly roll-ups. */
const levels = ['day', 'hour'] as const

export const removeOfSubject = (store: Remover, subjectId: string): Promise<void> =>
  removeRange(store, 'rollUps', subjectId, endOfPrefix(subjectId))

/** Removes all roll-ups of a signal (by its key) or a location. */
export async function removeOfSource(store: Remover, subjectId: string, source: Source): Promise<void> {
  for (const level of levels) {
    const prefix = rowPrefix(subjectId, source, level)
    await removeRange(store, 'rollUps', prefix, endOfPrefix(prefix))
  }
}

/** Removes a subject's roll-ups if their retention has ended at `now` or the subject no longer has their signal. */
export async function expireRollUps(store: RetryingStore, subject: SubjectDocument, now: number): Promise<void> {
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
 * Removes rows that were written while their subject or signal was being deleted: the deletion may have missed them. `subject`: the subject
 * as read after the rows were written; null: deleted.
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

/** Returns whether a source belongs to the subject. The rows of a removed location stay; the rows of a deleted signal do not. */
const isOf = (subject: SubjectDocument, { kind, id }: Source): boolean =>
  kind === 'location' || (subject.custom?.signals.some(signal => signal.key === id) ?? false)
