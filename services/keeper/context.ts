// Context shared by the files of a keeper: bus, store and clock, the memory of subjects, and the check whether it may still commit.
import { doubled, retry } from '#shared/async/retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { JunkReports } from '#shared/observability/junk-reports.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { SentIdReads } from './loading/sent-id-reads.ts'
import type { SubjectCache } from './loading/subject-cache.ts'
import type { TemplateRevisions } from './loading/template-revisions.ts'
import type { KeeperMetrics } from './metrics.ts'
import type { ReadingWatch } from './round/reading-watch.ts'

export interface KeeperContext {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  metrics: KeeperMetrics
  junk: JunkReports
  cache: SubjectCache
  templates: TemplateRevisions
  sentIdReads: SentIdReads
  readingWatch: ReadingWatch
  keeperId: string
  /** The public id of an internal incident id, for the log. */
  encodeIncidentId(internalId: string): string
  confirmAfterMs: number
  closeAfterMs: number
  /** Returns true if this partition's lease is held, and recent enough for a commit now. */
  mayCommit(partition: number): boolean
  /** Runs a round soon, because work waits. */
  wake(): void
  /** Runs a round after a short delay, for work that no caller waits for. Work that arrives until then joins the round. */
  wakeSoon(): void
  /** Called when a partition has caught up. */
  becameLive(): void
  /** Removes the children of a deleted subject, outside the rounds. With a signal's key, removes the reports of that signal. */
  remove(subjectId: string, signalKey: string | null): void
  /** Writes the check entries in a subject's outbox, outside the rounds. */
  writeChecks(subjectId: string, entries: readonly OutboxCheck[]): void
  /** Removes a tombstone for good. Call it only when no late input can arrive that would create the subject again. */
  removeTombstone(subjectId: string): void
}

/** Error: the partition of this work now belongs to another keeper. */
export class NoLongerOurs extends Error {}

/**
 * Calls the store or the bus, and retries until the call succeeds. Rejects with NoLongerOurs if `mayGoOn` returns false before an attempt.
 * Rejects with the store's error if no retry can help. `doing` is for the log.
 */
export function retryWhile<T>(
  context: KeeperContext,
  mayGoOn: () => boolean,
  doing: string,
  attempt: () => Promise<T>,
): Promise<T> {
  return retry(() => (mayGoOn() ? attempt() : Promise.reject(new NoLongerOurs('not ours any more'))), {
    clock: context.clock,
    pauseMs: doubled(limits.keeper.retryMs, limits.keeper.retryMsMax),
    mayPass: error => !(error instanceof NoLongerOurs || (error instanceof StoreError && error.kind !== 'unavailable')),
    onRetry: error => {
      context.metrics.retries.inc()
      context.logger.warn({ err: error, doing }, 'store or bus does not answer')
    },
  })
}
