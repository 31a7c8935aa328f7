// The prober: checks the monitors of one location and reports the results. Stores nothing. Continues to check while the bus is unreachable,
// and reconnects by itself.

import { once } from '#shared/async/once.ts'
import { repeat } from '#shared/async/repeat.ts'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import type { Abilities } from '#shared/checks/abilities.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress, type Egress } from '#shared/net/egress.ts'
import { createResolve, type Resolve } from '#shared/net/resolve.ts'
import { createSeals, type Seals, withOpened } from '#shared/secrecy/seals.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { Clock } from '#shared/time/clock.ts'
import { type AssignmentHandlers, type Assignments, watchAssignments } from './assignments.ts'
import { type BusTime, createBusTime } from './bus-time.ts'
import type { CheckContext } from './checks/checker.ts'
import { findAbilities } from './checks/registry.ts'
import { createTrust } from './checks/trust.ts'
import { Fleet } from './fleet.ts'
import { createMetrics } from './metrics.ts'
import { createPresence, type Presence } from './presence.ts'
import { Reporter } from './report.ts'
import { Runner } from './runner.ts'
import { createShedding } from './shedding.ts'
import { serveTries } from './tries.ts'

export interface ProberOptions {
  locationId: string
  proberId: string
  /** Version of the product for the User-Agent of checks. */
  version: string
  /** Public address of the service for the User-Agent of checks. */
  serviceUrl: string
  /** PEM certificates trusted instead of the built-in authorities. */
  authorities?: string
  /** Keys of sealed secrets (SECRETS_KEY); absent or empty: sealed secrets cannot be opened here. */
  secretsKey?: string
  /** False: nothing that a server answered is kept or shown (CHECK_ANSWERS). Absent: true. */
  answers?: boolean
  resolve?: Resolve
  /** Guard that refuses addresses; absent: a guard with the built-in rules of every installation. */
  egress?: Egress
  /** Kinds of checks that this prober makes; absent: they are found at the start. */
  kinds?: Abilities
  /** Instant on bus time since which this location may have missed checks; null or absent: the start of the prober. */
  missedSince?: number | null
}

export interface Prober extends Service {
  /** Returns the number of checks per second that the prober's monitors need. */
  checksPerSecond(): number
}

/**
 * Resolves when the location's monitors are known and the presence key of this prober is written. Checks may begin earlier. Rejects if the bus does not respond. If
 * the start fails, all parts that had begun are stopped, and the caller may try again.
 */
export async function startProber(context: ServiceContext, options: ProberOptions): Promise<Prober> {
  const begun: (() => Promise<void> | void)[] = []
  try {
    return await begin(context, options, begun)
  } catch (error) {
    await Promise.allSettled(begun.map(async end => end()))
    throw error
  }
}

/** Starts all parts. Adds a function to `begun` for each part that must be stopped. */
async function begin(context: ServiceContext, options: ProberOptions, begun: (() => Promise<void> | void)[]): Promise<Prober> {
  const { bus, clock } = context
  const { locationId, proberId, version } = options
  const logger = context.logger.child({ service: 'prober', prober: proberId })
  const metrics = createMetrics(context.metrics, locationId, proberId)
  const busTime = await createBusTime(context)
  const shedding = createShedding(clock, logger, locationId, () => fleet.demands())
  const reporter = new Reporter({ bus, clock, logger, locationId, onDropped: () => metrics.dropped.inc() })
  begun.push(busTime.stop, shedding.stop, () => reporter.stop(0))
  const checking = checkContext(clock, options)
  const runner = new Runner({
    context: checking,
    shedding,
    ...{ metrics, logger, answers: options.answers ?? true },
    onReport: report => reporter.add(report),
  })
  let presence: Presence | null = null
  const fleet = new Fleet({
    clock,
    busNow: busTime.now,
    owns: (hash, kind) => presence?.owns(hash, kind) === true,
    runner,
    metrics,
  })
  const seals = createSeals(options.secretsKey ?? '')
  const kinds = options.kinds ?? findAbilities()
  const tries = await serveTries({ bus, logger, locationId, kinds, context: triedContext(checking, options), seals, shedding })
  begun.push(tries.close)
  const watch = await watchAssignments(bus, locationId, logger, assigningTo(fleet, seals))
  begun.push(watch.close)
  let perSecond = 0
  const describe = () => ({
    ...{ version, inFlight: runner.inFlight(), buffered: reporter.waiting(), shed: shedding.total(), perSecond },
    // An older directory refuses a state with this member, so only a prober that has something to say sends it.
    ...(watch.unreadable() > 0 ? { unreadable: watch.unreadable() } : {}),
  })
  const view = { bus, clock, logger, busNow: busTime.now, locationId, proberId, kinds, describe, onChange: fleet.rebalance }
  presence = await createPresence(view)
  busTime.onJump(fleet.rebase)
  begun.push(presence.leave, fleet.stop)
  await beginChecks({ watch, presence, fleet, busTime }, options.missedSince ?? null)
  const gauges = repeat({ clock, everyMs: limits.presence.beatMs }, () => {
    perSecond = Math.round(fleet.checksPerSecond() * 100) / 100
    metrics.monitors.set(fleet.owned())
    metrics.inFlight.set(runner.inFlight())
    metrics.buffered.set(reporter.waiting())
    metrics.unreadable.set(watch.unreadable())
  })
  const unable = Object.fromEntries(Object.entries(kinds).filter(([, sentence]) => sentence !== null))
  logger.info({ location: locationId, monitors: fleet.owned(), probers: presence.count(), unable }, 'prober checks')
  return {
    checksPerSecond: () => fleet.checksPerSecond(),
    unready: () => (bus.connected() ? [] : ['The prober is cut off from the bus: it goes on checking and keeps what it sees.']),
    stop: once(async () => {
      // Deletes the presence key first, so that the other probers take over the monitors before this prober stops.
      await waitAtMost(clock, stopping.busMs, presence.leave())
      fleet.stop()
      busTime.stop()
      void gauges.stop()
      await waitAtMost(clock, stopping.busMs, Promise.all([watch.close(), tries.close()]))
      await runner.stop(stopping.checksMs)
      shedding.stop()
      await reporter.stop(stopping.reportsMs)
      logger.info({ location: locationId }, 'prober stopped')
    }),
  }
}

interface Parts {
  watch: Assignments
  presence: Presence
  fleet: Fleet
  busTime: BusTime
}

/**
 * Begins to check. A prober that is alone at its location checks what it knows at once, and the rest as it arrives. With others it waits for
 * the whole: they give up their share of the monitors as soon as they hear of this prober.
 */
async function beginChecks({ watch, presence, fleet, busTime }: Parts, missedSince: number | null): Promise<void> {
  if (presence.count() > 1) await watch.complete
  const announcedAt = busTime.now()
  await presence.announce()
  fleet.start(Math.min(announcedAt, missedSince ?? announcedAt))
  await watch.complete
  fleet.complete()
}

/** Secrets are opened once, when a check is assigned. */
const assigningTo = (fleet: Fleet, seals: Seals | null): AssignmentHandlers => ({
  onEntry: (subjectId, entry, ...origin) => fleet.assign(subjectId, withOpened(entry, seals), ...origin),
  onList: (subjectId, entries, ...origin) => fleet.assignAll(subjectId, withOpened(entries, seals), ...origin),
  onUnreadable: fleet.keepOrUnassign,
  onRemoved: fleet.unassign,
})

/** Division of the 5 s that a stop may take: two waits for the bus, the wait for running checks, and the wait for their reports. */
const stopping = {
  busMs: limits.start.graceMs * 0.1,
  checksMs: limits.start.graceMs * 0.4,
  reportsMs: limits.start.graceMs * 0.3,
}

/** A try carries what the server answered, whatever was kept before. */
const triedContext = (context: CheckContext, { answers = true }: ProberOptions): CheckContext => ({
  ...context,
  isTried: true,
  ...(answers && { keepsAnswer: () => true }),
})

const checkContext = (clock: Clock, options: ProberOptions): CheckContext => ({
  clock,
  resolve: options.resolve ?? createResolve({ clock }),
  trust: createTrust(options.authorities),
  egress: options.egress ?? createEgress(),
  userAgent: `watchkeeper/${options.version} (+${options.serviceUrl})`,
  bounds: limits.check,
})
