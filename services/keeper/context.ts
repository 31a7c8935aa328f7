// Context shared by the files of a keeper: bus, store and clock, the memory of subjects, and a check that the keeper may still commit.
import { doubled, retry } from '#shared/async/retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { JunkReports } from '#shared/observability/junk-reports.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Level } from '#shared/store/level.ts'
import { type Store, StoreError, UnreadableDocument } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Abilities } from './abilities.ts'
import type { CheckForms } from './check-forms.ts'
import type { SentIdReads } from './loading/sent-id-reads.ts'
import type { SubjectCache } from './loading/subject-cache.ts'
import type { TemplateRevisions } from './loading/template-revisions.ts'
import type { KeeperMetrics } from './metrics.ts'
import type { ReadingWatch } from './round/reading-watch.ts'

export interface KeeperContext {
  bus: Bus
  store: Store
  /** Says which forms of checkpoints and check entries are written. */
  level: Level
  clock: Clock
  logger: Logger
  metrics: KeeperMetrics
  junk: JunkReports
  cache: SubjectCache
  templates: TemplateRevisions
  sentIdReads: SentIdReads
  readingWatch: ReadingWatch
  abilities: Abilities
  keeperId: string
  /** True if no other keeper can exist: the data folder is locked. */
  isAlone: boolean
  /** False: nobody can send reports, so none are accepted. */
  hasSenders: boolean
  /** Returns the public id of an incident, for the log. */
  encodeIncidentId(internalId: string): string
  confirmAfterMs: number
  closeAfterMs: number
  /** Returns true if this keeper holds the partition's lease and has renewed it recently enough to commit now. */
  mayCommit(partition: number): boolean
  /** Runs a round as soon as possible. Call it when work waits. */
  wake(): void
  /** Runs a round after a short delay, for work that no caller waits for. Work that arrives during the delay joins the round. */
  wakeSoon(): void
  /** Called when a partition has caught up with the stream. */
  becameLive(): void
  /** Removes the children of a deleted subject, outside the rounds. If `signalKey` is given, removes only the reports of this signal. */
  remove(subjectId: string, signalKey: string | null): void
  /** Writes check entries, which come from a subject's outbox, to the bus. The rounds do not wait for this write. */
  writeChecks(subjectId: string, entries: readonly OutboxCheck[]): void
  /** Forms in which check entries are on the bus. */
  checkForms(): CheckForms
  /** Removes a tombstone for good. Call it only when no late input can arrive that would create the subject again. */
  removeTombstone(subjectId: string): void
}

/** Thrown when this keeper no longer holds the partition for which it works. */
export class NoLongerOurs extends Error {}

/**
 * Calls the store or the bus, and retries until the call succeeds. Rejects with NoLongerOurs if `mayGoOn` returns false before an attempt.
 * Rejects with the store's error if no retry can help. A document that cannot be read is tried again, because work that went on
 * without it would lose its reports. `doing` is for the log.
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
      if (error instanceof UnreadableDocument)
        context.logger.warn({ err: error, doing }, 'work waits for a document that cannot be read')
      else context.logger.warn({ err: error, doing }, 'store or bus does not answer')
    },
  })
}
