// Writes the check entries that subjects owe to probers, those of one location in the order of their commits. Repeating any of it is harmless.
import type { Bucket } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { CheckEntry } from '#shared/contracts/check.ts'
import type { PendingCheck } from '#shared/contracts/subject.ts'
import { partitionOf } from '#shared/hash.ts'
import { limits } from '#shared/limits.ts'
import { type Core, persistWhile } from './core.ts'
import { NoLongerOurs } from './retry.ts'
import { Turns } from './turns.ts'

export interface CheckEntries {
  /** Begins to write entries of a subject, or does so after those that are under way. */
  write(subjectId: string, entries: readonly PendingCheck[]): void
}

/**
 * `onWritten` is called for each entry that the bucket has. A lease that was too old at one moment may have been renewed: while `isHosted` says
 * that its partition is here, nobody else begins what that stopped.
 */
export function createCheckEntries(
  core: Core,
  onWritten: (subjectId: string, entry: PendingCheck) => void,
  isHosted: (partition: number) => boolean,
): CheckEntries {
  const turns = new Turns(limits.keeper.checkWritesAtOnce)
  /** By subject, what waits: of a location the newest. Present while one of its entries is being written. */
  const waiting = new Map<string, Map<string, PendingCheck>>()

  const writeAll = async (subjectId: string, own: Map<string, PendingCheck>) => {
    const mayGoOn = () => core.mayCommit(partitionOf(subjectId))
    const writeOne = async (entry: PendingCheck) => {
      await turns.run(() => writeCheck(core, subjectId, entry, mayGoOn))
      if (own.get(entry.locationId) === entry) own.delete(entry.locationId)
      onWritten(subjectId, entry)
    }
    while (own.size > 0) await Promise.all([...own.values()].map(writeOne))
    waiting.delete(subjectId)
  }
  const begin = (subjectId: string, own: Map<string, PendingCheck>): void => {
    writeAll(subjectId, own).catch(error => {
      core.logger.debug({ err: error, subjectId }, 'the writing of check entries was stopped')
      if (error instanceof NoLongerOurs && isHosted(partitionOf(subjectId)))
        core.clock.after(limits.keeper.retryMs, () => begin(subjectId, own))
      else waiting.delete(subjectId)
    })
  }
  return {
    write: (subjectId, entries) => {
      const own = waiting.get(subjectId)
      const next = own ?? new Map<string, PendingCheck>()
      for (const entry of entries) if ((next.get(entry.locationId)?.rev ?? 0) <= entry.rev) next.set(entry.locationId, entry)
      if (own !== undefined) return
      waiting.set(subjectId, next)
      begin(subjectId, next)
    },
  }
}

/** Resolves once the bucket has it, or something newer. */
export function writeCheck(core: Core, subjectId: string, entry: PendingCheck, mayGoOn: () => boolean): Promise<void> {
  return persistWhile(core, mayGoOn, 'write a check entry', () => advanceCheck(core.bus.bucket('checks'), subjectId, entry))
}

/** Sets or removes an entry, unless the bucket has one with the same or a larger rev. */
async function advanceCheck(bucket: Bucket, subjectId: string, { locationId, rev, entry }: PendingCheck): Promise<void> {
  const key = keys.check(locationId, subjectId)
  if (entry !== null && rev === 1 && (await bucket.update(key, entry, 0)) !== null) return
  for (;;) {
    const stored = await bucket.get(key)
    const storedRev = (stored?.value as CheckEntry | null | undefined)?.rev ?? 0
    if (storedRev >= rev && (entry !== null || storedRev > rev)) return
    if (entry === null) return stored === null || stored.value === null ? undefined : bucket.delete(key)
    if ((await bucket.update(key, entry, stored?.revision ?? 0)) !== null) return
  }
}
