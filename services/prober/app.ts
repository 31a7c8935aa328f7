// The prober: checks the monitors of one location and reports what it sees. Owns nothing that outlives it; goes on checking
// while the bus is away and resumes by itself.

import { once } from '#shared/async/once.ts'
import { repeat } from '#shared/async/repeat.ts'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress, type Egress } from '#shared/net/egress.ts'
import { createResolve, type Resolve } from '#shared/net/resolve.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { Clock } from '#shared/time/clock.ts'
import { watchAssignments } from './assignments.ts'
import { createBusTime } from './bus-time.ts'
import type { CheckContext } from './check.ts'
import { createTrust } from './connection.ts'
import { Fleet } from './fleet.ts'
import { createMetrics } from './metrics.ts'
import { createPresence, type Presence } from './presence.ts'
import { Reporter } from './report.ts'
import { Runner } from './runner.ts'
import { createShedding } from './shedding.ts'

export interface ProberOptions {
  locationId: string
  proberId: string
  /** The product's version, as checks name it. */
  version: string
  /** The service's public address, as checks name it. */
  serviceUrl: string
  /** PEM certificates trusted instead of the built-in authorities. */
  authorities?: string
  resolve?: Resolve
  /** Addresses that checks may not go to; absent: those that are always refused. */
  egress?: Egress
  /** Recognises check entries; absent: the contract's library is loaded. */
  isCheckEntry?(value: unknown): value is CheckEntry
  /** The instant on bus time from which nobody may have made the checks of this prober; null or absent: its own start. */
  missedSince?: number | null
  /** What `checksPerSecond` answers may have changed; often called many times at once. */
  onLoad?(): void
}

export interface Prober extends Service {
  /** The checks that the monitors of this prober ask for, a second. */
  checksPerSecond(): number
}

/**
 * Resolves when the location's monitors are known and this prober has said that it lives. Rejects where the bus does not answer; then
 * nothing of it goes on, and it may be called again.
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

/** `begun` gets what ends each part that goes on by itself. */
async function begin(context: ServiceContext, options: ProberOptions, begun: (() => Promise<void> | void)[]): Promise<Prober> {
  const { bus, clock } = context
  const { locationId, proberId, version } = options
  const logger = context.logger.child({ service: 'prober', prober: proberId })
  const metrics = createMetrics(context.metrics, locationId, proberId)
  const busTime = await createBusTime(context)
  const shedding = createShedding(clock, logger, locationId)
  const reporter = new Reporter({ bus, clock, logger, locationId, onDropped: () => metrics.dropped.inc() })
  begun.push(busTime.stop, shedding.stop, () => reporter.stop(0))
  const runner = new Runner({
    context: checkContext(clock, options),
    userAgent: `watchkeeper/${version} (+${options.serviceUrl})`,
    shedding,
    metrics,
    logger,
    onReport: report => reporter.add(report),
  })
  let presence: Presence | null = null
  const fleet = new Fleet({
    clock,
    busNow: busTime.now,
    owns: hash => presence?.owns(hash) === true,
    runner,
    metrics,
    onLoad: () => options.onLoad?.(),
  })
  const describe = () => ({ version, inFlight: runner.inFlight(), buffered: reporter.waiting(), shed: shedding.total() })
  const isEntry = options.isCheckEntry ?? (await import('./check-entry.ts')).isCheckEntry
  const watch = await watchAssignments(bus, locationId, logger, { isEntry, onEntry: fleet.assign, onRemoved: fleet.unassign })
  begun.push(() => watch.close())
  const view = { bus, clock, logger, busNow: busTime.now, locationId, proberId, describe, onChange: fleet.rebalance }
  presence = await createPresence(view)
  busTime.onJump(fleet.rebase)
  const announcedAt = busTime.now()
  await presence.announce()
  fleet.start(Math.min(announcedAt, options.missedSince ?? announcedAt))
  const gauges = repeat({ clock, everyMs: limits.presence.beatMs }, () => {
    metrics.monitors.set(fleet.owned())
    metrics.inFlight.set(runner.inFlight())
    metrics.buffered.set(reporter.waiting())
  })
  logger.info({ location: locationId, monitors: fleet.owned(), probers: presence.count() }, 'prober checks')
  return {
    checksPerSecond: () => fleet.checksPerSecond(),
    unready: () => (bus.connected() ? [] : ['The prober is cut off from the bus: it goes on checking and keeps what it sees.']),
    stop: once(async () => {
      // First the others learn that they have to take over, then this one stops. It must not hang on a bus that does not answer.
      await waitAtMost(clock, stopping.busMs, presence.leave())
      fleet.stop()
      busTime.stop()
      void gauges.stop()
      await waitAtMost(clock, stopping.busMs, watch.close())
      await runner.stop(stopping.checksMs)
      shedding.stop()
      await reporter.stop(stopping.reportsMs)
      logger.info({ location: locationId }, 'prober stopped')
    }),
  }
}

/** How the 5 s of a stop are shared: the two waits for the bus, the checks under way, what they still have to report. */
const stopping = {
  busMs: limits.start.graceMs * 0.1,
  checksMs: limits.start.graceMs * 0.4,
  reportsMs: limits.start.graceMs * 0.3,
}

const checkContext = (clock: Clock, options: ProberOptions): CheckContext => ({
  clock,
  resolve: options.resolve ?? createResolve({ clock }),
  trust: createTrust(options.authorities),
  egress: options.egress ?? createEgress(),
  bounds: limits.check,
})
