// Writer of check entries for probers, in pages or alone as the level of the installation says (ADR 45). Entries of one location are written
// in the order of their commits. Repeating a write is harmless.
import { Semaphore } from '#shared/async/semaphore.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import { putAlone } from './single-entries.ts'

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
      const write = () => writeCheck(context, subjectId, entry, mayGoOn)
      // Pages have a bound of their own, and share their writes better without this one.
      await (writesPages(context) ? write() : writes.run(write))
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

/**
 * Writes an entry in the form of the installation's level: into its page, or alone. Resolves once the bus has this entry or a newer one.
 * `at`: instant of the change, ms; 0: not known, and long ago.
 */
export async function writeCheck(
  context: KeeperContext,
  subjectId: string,
  { locationId, rev, entry }: OutboxCheck,
  mayGoOn: () => boolean,
  at: number = context.clock.now(),
): Promise<void> {
  if (!writesPages(context)) {
    await retryWhile(context, mayGoOn, 'write a check entry', () => putAlone(context, locationId, { subjectId, rev, entry }))
    // The level may have been raised meanwhile, and then nobody else removes what was just written.
    if (!writesPages(context)) return
    context.checkForms().old.found(partitionOf(subjectId))
  }
  await context.checkForms().pages.change(locationId, { subjectId, rev, entry, at })
  if (entry !== null || !context.checkForms().old.mayHave(partitionOf(subjectId))) return
  await retryWhile(context, mayGoOn, 'remove a check entry', () => putAlone(context, locationId, { subjectId, rev, entry }))
}

/** Whether check entries are written into pages. */
export const writesPages = ({ level }: Pick<KeeperContext, 'level'>): boolean => level.number() >= flatForms
