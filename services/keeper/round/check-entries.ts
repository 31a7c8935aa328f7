// Writer of check entries for probers. Entries of one location are written in the order of their commits. Repeating a write is harmless.
import { Semaphore } from '#shared/async/semaphore.ts'
import type { Bucket } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { schemaOf } from '#shared/contracts/form.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'

export interface CheckEntries {
  /** Writes entries of a subject at once, or after the entries of this subject that are being written now. */
  write(subjectId: string, entries: readonly OutboxCheck[]): void
}

/**
 * `onWritten` is called for each entry once the bucket has it. A write stops when the partition's lease is too old. It is then repeated
 * while `isHosted` returns true, because the lease may have been renewed.
 */
export function createCheckEntries(
  context: KeeperContext,
  onWritten: (subjectId: string, entry: OutboxCheck) => void,
  isHosted: (partition: number) => boolean,
): CheckEntries {
  const writes = new Semaphore(limits.keeper.checkWritesAtOnce)
  /** Waiting entries by subject, the newest of each location. A subject stays in the map while one of its entries is being written. */
  const waiting = new Map<string, Map<string, OutboxCheck>>()

  const writeAll = async (subjectId: string, own: Map<string, OutboxCheck>) => {
    const mayGoOn = () => context.mayCommit(partitionOf(subjectId))
    const writeOne = async (entry: OutboxCheck) => {
      await writes.run(() => writeCheck(context, subjectId, entry, mayGoOn))
      if (own.get(entry.locationId) === entry) own.delete(entry.locationId)
      onWritten(subjectId, entry)
    }
    while (own.size > 0) await Promise.all([...own.values()].map(writeOne))
    waiting.delete(subjectId)
  }
  const begin = (subjectId: string, own: Map<string, OutboxCheck>): void => {
    writeAll(subjectId, own).catch(error => {
      context.logger.debug({ err: error, subjectId }, 'the writing of check entries was stopped')
      if (error instanceof NoLongerOurs && isHosted(partitionOf(subjectId)))
        context.clock.schedule(limits.keeper.retryMs, () => begin(subjectId, own))
      else waiting.delete(subjectId)
    })
  }
  return {
    write: (subjectId, entries) => {
      const own = waiting.get(subjectId)
      const next = own ?? new Map<string, OutboxCheck>()
      for (const entry of entries) if ((next.get(entry.locationId)?.rev ?? 0) <= entry.rev) next.set(entry.locationId, entry)
      if (own !== undefined) return
      waiting.set(subjectId, next)
      begin(subjectId, next)
    },
  }
}

/** Writes an entry. Resolves once the bucket has this entry or a newer entry. */
export function writeCheck(context: KeeperContext, subjectId: string, entry: OutboxCheck, mayGoOn: () => boolean): Promise<void> {
  return retryWhile(context, mayGoOn, 'write a check entry', () => advanceCheck(context.bus.bucket('checks'), subjectId, entry))
}

/** Sets or removes an entry, unless the bucket has an entry with a larger rev, or with the same rev and schema. */
async function advanceCheck(bucket: Bucket, subjectId: string, { locationId, rev, entry }: OutboxCheck): Promise<void> {
  const key = keys.check(locationId, subjectId)
  if (entry !== null && rev === 1 && (await bucket.update(key, entry, 0)) !== null) return
  for (;;) {
    const stored = await bucket.get(key)
    const storedRev = (stored?.value as CheckEntry | null | undefined)?.rev ?? 0
    if (storedRev > rev) return
    if (storedRev === rev && entry !== null && schemaOf(stored?.value ?? {}) === schemaOf(entry)) return
    if (entry === null) return stored === null || stored.value === null ? undefined : bucket.delete(key)
    if ((await bucket.update(key, entry, stored?.revision ?? 0)) !== null) return
  }
}
