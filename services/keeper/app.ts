// Keeper: the only writer of subjects and of all documents that belong to them. Connects leases to the host of partitions.

import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { createJunkReports } from '#shared/observability/junk-reports.ts'
import type { LevelledContext, Service, ServiceContextWithStore } from '#shared/service.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { createAbilities } from './abilities.ts'
import type { CheckForms } from './check-forms.ts'
import type { KeeperContext } from './context.ts'
import { holdLeases } from './lease/leases.ts'
import { SentIdReads } from './loading/sent-id-reads.ts'
import { SubjectCache } from './loading/subject-cache.ts'
import { TemplateRevisions } from './loading/template-revisions.ts'
import { createKeeperMetrics } from './metrics.ts'
import { CheckListing } from './partition/check-listing.ts'
import { Host } from './partition/host.ts'
import { Listening } from './partition/listening.ts'
import { createOldChecks } from './partition/old-checks.ts'
import { servePreviews } from './preview/serve-previews.ts'
import { createReadiness } from './readiness.ts'
import { startHousekeeping } from './removal/housekeeping.ts'
import { createRemovals, removeChildren } from './removal/removals.ts'
import { startRollingUp } from './roll-up/roll-up.ts'
import { createCheckEntries } from './round/check-entries.ts'
import { createCheckPages } from './round/check-pages.ts'
import { ReadingWatch } from './round/reading-watch.ts'

export interface KeeperOptions {
  /** Id of this keeper, unique to its process. */
  keeperId: string
  /** True if no other keeper can run, because the data folder is locked (embedded mode). The keeper then takes every lease at once. */
  exclusive: boolean
  /** False: no prober and no gateway runs that could report, so silence stays held back. Absent: true. */
  hasSenders?: boolean
  confirmAfterMs: number
  closeAfterMs: number
  /** Largest number of subjects in memory; absent or 0: as many as fit the heap. */
  cachedSubjects?: number
  /** Salt from which the log derives the public ids of incidents. */
  incidentSalt?: string
}

/** Starts a keeper. The keeper is ready when it holds its share of the partitions and these partitions have caught up with the stream. */
export async function startKeeper(serviceContext: LevelledContext, options: KeeperOptions): Promise<Service> {
  const { bus, clock } = serviceContext
  const logger = serviceContext.logger.child({ service: 'keeper' })
  const context: KeeperContext = {
    ...serviceContext,
    logger,
    metrics: createKeeperMetrics(serviceContext.metrics),
    ...memoryOf({ ...serviceContext, logger }, options),
    ...settled(options),
    mayCommit: () => false,
    wake: () => host.wake(),
    wakeSoon: () => host.wakeSoon(),
    remove: (subjectId, signalKey) => removals.start(subjectId, signalKey),
    becameLive: () => readiness.look(),
    writeChecks: (subjectId, entries) => checkEntries.write(subjectId, entries),
    checkForms: () => checks,
    removeTombstone: subjectId => removeTombstone(context, subjectId),
  }
  logger.info({ keeper: options.keeperId }, 'keeper started')
  const listening = new Listening(context)
  const checks = openCheckForms(context)
  const host = new Host(context, listening, checks.listing)
  const readiness = createReadiness(context, () => host.partitions())
  const hosts = (partition: number) => host.hosts(partition)
  const removals = createRemovals(context, (subjectId, signalKey) => host.removed(subjectId, signalKey), hosts)
  const checkEntries = createCheckEntries(context, (subjectId, entry) => host.checkWritten(subjectId, entry), hosts)
  await context.abilities.start(locationId => host.abilitiesChanged(locationId))
  await listening.start(() => host.partitions())
  const leases = await holdLeases({
    bus,
    clock,
    logger,
    keeperId: options.keeperId,
    exclusive: options.exclusive,
    onAcquired: (partition, precedent) => {
      listening.acquired(partition, precedent)
      host.open(partition)
    },
    notesOf: partition => listening.notesOf(partition),
    storeSilentMs: () => listening.storeSilentMs(),
    handOver: partition => host.handOver(partition),
    onLost: (partition, reason) => {
      logger.warn({ partition, reason }, 'partition lost')
      listening.lost(partition)
      host.close(partition, reason)
    },
    mayStart: mayCommit => {
      context.mayCommit = mayCommit
    },
  })
  const housekeeping = startHousekeeping(context, () => context.mayCommit(0))
  const rollingUp = startRollingUp(context)
  const previews = await servePreviews(context)
  return {
    unready: () => unready(host, leases.held().length),
    stop: async () => {
      housekeeping.stop()
      rollingUp.stop()
      await previews.stop()
      readiness.stop()
      await host.stop()
      await Promise.all([listening.stop(), context.abilities.stop()])
      await leases.stop()
      context.junk.stop()
    },
  }
}

const memoryOf = (serviceContext: ServiceContextWithStore, { cachedSubjects }: KeeperOptions) => ({
  junk: createJunkReports('keeper', serviceContext),
  templates: new TemplateRevisions(),
  sentIdReads: new SentIdReads(serviceContext.clock),
  readingWatch: new ReadingWatch(serviceContext),
  abilities: createAbilities(serviceContext),
  cache: new SubjectCache(cachedSubjects),
})

const settled = ({ keeperId, exclusive, hasSenders = true, incidentSalt, confirmAfterMs, closeAfterMs }: KeeperOptions) => ({
  keeperId,
  isAlone: exclusive,
  hasSenders,
  encodeIncidentId: createIncidentIds(incidentSalt ?? '').encode,
  confirmAfterMs,
  closeAfterMs,
})

function openCheckForms(context: KeeperContext): CheckForms & { listing: CheckListing } {
  const listing = new CheckListing(context)
  return { listing, pages: createCheckPages(context), old: createOldChecks(context, listing) }
}

function removeTombstone(context: KeeperContext, subjectId: string): void {
  context.cache.drop(subjectId)
  // Runs the removal once more, because a late write may have followed the first removal of the subject's children.
  removeChildren(context, subjectId, () => context.mayCommit(partitionOf(subjectId)))
    .then(() => context.store.delete('subjects', [subjectId]))
    .catch(error => context.logger.warn({ err: error, subjectId }, 'tombstone could not be removed'))
}

function unready(host: Host, held: number): string[] {
  const opening = host.partitions().filter(partition => partition.state !== 'live').length
  if (held === 0) return ['the keeper holds no partitions yet']
  return opening > 0 ? [`${opening} of ${held} partitions are not caught up yet`] : []
}
