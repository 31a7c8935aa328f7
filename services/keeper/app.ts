// The keeper: the only writer of subjects and of all that hangs on them. Wires leases to the host of partitions; listens to
// nothing itself.
import { partitionOf } from '#shared/hash.ts'
import { createIncidentIds } from '#shared/incident-ids.ts'
import { createJunkReports } from '#shared/junk-reports.ts'
import { limits } from '#shared/limits.ts'
import type { Service, SurroundingsWithStore } from '#shared/service.ts'
import { createCheckEntries } from './check-entries.ts'
import type { Core } from './core.ts'
import { Host } from './host.ts'
import { startHousekeeping } from './housekeeping.ts'
import { holdLeases } from './leases.ts'
import { Listening } from './listening.ts'
import { createKeeperMetrics } from './metrics.ts'
import { servePreviews } from './preview/serve-previews.ts'
import { createReadiness } from './readiness.ts'
import { createRemovals } from './removals.ts'
import { removeChildren } from './remove-children.ts'
import { startRollingUp } from './roll-up/roll-up.ts'
import { SubjectCache } from './subject-cache.ts'
import { TemplateRevisions } from './template-revisions.ts'

export interface KeeperOptions {
  /** Unique to this process. */
  keeperId: string
  /** Nobody else can be alive: take every lease at once (embedded mode, where the data folder is locked). */
  exclusive: boolean
  confirmAfterMs: number
  closeAfterMs: number
  cachedSubjects?: number
  /** From which public incident ids are derived, for the log. */
  incidentSalt?: string
}

/** Starts a keeper; it is ready when it holds its share of the partitions and all of them have caught up. */
export async function startKeeper(surroundings: SurroundingsWithStore, options: KeeperOptions): Promise<Service> {
  const { bus, clock } = surroundings
  const logger = surroundings.logger.child({ service: 'keeper' })
  const core: Core = {
    ...surroundings,
    logger,
    metrics: createKeeperMetrics(surroundings.metrics),
    junk: createJunkReports('keeper', { ...surroundings, logger }),
    templates: new TemplateRevisions(),
    cache: new SubjectCache(options.cachedSubjects ?? limits.keeper.cachedSubjects),
    keeperId: options.keeperId,
    encodeIncidentId: createIncidentIds(options.incidentSalt ?? '').encode,
    confirmAfterMs: options.confirmAfterMs,
    closeAfterMs: options.closeAfterMs,
    mayCommit: () => false,
    wake: () => host.wake(),
    wakeSoon: () => host.wakeSoon(),
    remove: (subjectId, signalKey) => removals.start(subjectId, signalKey),
    becameLive: () => readiness.look(),
    writeChecks: (subjectId, entries) => checkEntries.write(subjectId, entries),
    removeTombstone: subjectId => removeTombstone(core, subjectId),
  }
  logger.info({ keeper: options.keeperId }, 'keeper started')
  const listening = new Listening(core)
  const host = new Host(core, listening)
  const readiness = createReadiness(core, () => host.partitions())
  const hosts = (partition: number) => host.hosts(partition)
  const removals = createRemovals(core, (subjectId, signalKey) => host.removed(subjectId, signalKey), hosts)
  const checkEntries = createCheckEntries(core, (subjectId, entry) => host.checkWritten(subjectId, entry), hosts)
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
    handOver: partition => host.handOver(partition),
    onLost: (partition, reason) => {
      logger.warn({ partition, reason }, 'partition lost')
      listening.lost(partition)
      host.close(partition, reason)
    },
    mayStart: mayCommit => {
      core.mayCommit = mayCommit
    },
  })
  const housekeeping = startHousekeeping(core, () => core.mayCommit(0))
  const rollingUp = startRollingUp(core)
  const previews = await servePreviews(core)
  return {
    unready: () => unready(host, leases.held().length),
    stop: async () => {
      housekeeping.stop()
      rollingUp.stop()
      await previews.stop()
      readiness.stop()
      await host.stop()
      await listening.stop()
      await leases.stop()
      core.junk.stop()
    },
  }
}

function removeTombstone(core: Core, subjectId: string): void {
  core.cache.drop(subjectId)
  // Once more: a write that the store carried out late may have come after its children were removed.
  removeChildren(core, subjectId, () => core.mayCommit(partitionOf(subjectId)))
    .then(() => core.store.delete('subjects', [subjectId]))
    .catch(error => core.logger.warn({ err: error, subjectId }, 'tombstone could not be removed'))
}

function unready(host: Host, held: number): string[] {
  const opening = host.partitions().filter(partition => partition.state !== 'live').length
  if (held === 0) return ['the keeper holds no partitions yet']
  return opening > 0 ? [`${opening} of ${held} partitions are not caught up yet`] : []
}
