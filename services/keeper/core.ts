// What all parts of a keeper share: its surroundings, its memory of subjects, and the question whether it may still commit.
import type { Bus } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import type { PendingCheck } from '#shared/contracts/subject.ts'
import type { JunkReports } from '#shared/junk-reports.ts'
import type { Logger } from '#shared/logger.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { KeeperMetrics } from './metrics.ts'
import { persist } from './retry.ts'
import type { SubjectCache } from './subject-cache.ts'
import type { TemplateRevisions } from './template-revisions.ts'

export interface Core {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  metrics: KeeperMetrics
  junk: JunkReports
  cache: SubjectCache
  templates: TemplateRevisions
  keeperId: string
  /** The public id of an internal incident id, for the log. */
  encodeIncidentId(internalId: string): string
  confirmAfterMs: number
  closeAfterMs: number
  /** Whether this partition's lease is held and young enough to commit at this very moment. */
  mayCommit(partition: number): boolean
  /** Something waits: run a round soon. */
  wake(): void
  /** Something waits that nobody waits for: run a round in a moment, with what else comes until then. */
  wakeSoon(): void
  /** A partition has caught up. */
  becameLive(): void
  /** Removes, apart from the rounds, what hangs on a deleted subject; with a signal's key, what that signal reported. */
  remove(subjectId: string, signalKey: string | null): void
  /** Writes, apart from the rounds, the check entries that a subject owes. */
  writeChecks(subjectId: string, entries: readonly PendingCheck[]): void
  /** Forgets a tombstone for good: nothing that could still arrive would revive its subject. */
  removeTombstone(subjectId: string): void
}

/**
 * A call of the store or the bus, made again and again until it succeeds. Rejects with NoLongerOurs once `mayGoOn` says no, and with the
 * store's error where no other try can help. `doing` is for the log.
 */
export function persistWhile<T>(core: Core, mayGoOn: () => boolean, doing: string, attempt: () => Promise<T>): Promise<T> {
  return persist(attempt, {
    clock: core.clock,
    mayGoOn,
    isPassing: error => !(error instanceof StoreError) || error.kind === 'unavailable',
    onFailure: error => {
      core.metrics.retries.inc()
      core.logger.warn({ err: error, doing }, 'store or bus does not answer')
    },
  })
}
