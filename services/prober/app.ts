// The prober: checks the monitors of one location and reports what it sees. Owns nothing that outlives it; goes on checking
// while the bus is away and resumes by itself.
import type { Bus } from '#shared/bus/port.ts'
import type { Cancel } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Service, Surroundings } from '#shared/service.ts'
import { watchAssignments } from './assignments.ts'
import { createTrust } from './connection.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { createMetrics } from './metrics.ts'
import { createPresence } from './presence.ts'
import { createReporter } from './report.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { createRunner } from './runner.ts'
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
}

/** Resolves when the location's monitors are known and this prober has said that it lives. Rejects where the bus does not answer. */
export async function startProber(surroundings: Surroundings, options: ProberOptions): Promise<Service> {
  const { bus, clock } = surroundings
  const logger = surroundings.logger.child({ service: 'prober', location: options.locationId, prober: options.proberId })
  const metrics = createMetrics(surroundings.metrics, options.locationId, options.proberId)
  const busTime = await createBusTime(surroundings)
  const shedding = createShedding(clock, logger, options.locationId)
  const { locationId, proberId } = options
  const reporter = createReporter({ bus, clock, logger, locationId, onDropped: count => metrics.dropped.inc(count) })
  const runner = createRunner({
    surroundings: {
      clock,
      resolve: options.resolve ?? createResolve({ clock }),
      trust: createTrust(options.authorities),
      bounds: limits.check,
    },
    userAgent: `watchkeeper/${options.version} (+${options.serviceUrl})`,
    shedding,
    metrics,
    logger,
    onReport: reporter.add,
  })
  const describe = () => ({
    version: options.version,
    inFlight: runner.inFlight(),
    buffered: reporter.waiting(),
    shedShare: shedding.share(),
  })
  const fleet: Fleet = createFleet({ clock, busNow: busTime.now, owns: hash => presence.owns(hash), runner, metrics })
  const watch = await watchAssignments(bus, locationId, logger, { onEntry: fleet.assign, onRemoved: fleet.unassign })
  const presence = await createPresence({
    bus,
    clock,
    logger,
    busNow: busTime.now,
    locationId,
    proberId,
    describe,
    onChange: fleet.rebalance,
  })
  busTime.onJump(fleet.rebase)
  await presence.announce()
  fleet.rebalance(null)
  const stopGauges = every(surroundings, limits.presence.beatMs, () => {
    metrics.monitors.set(fleet.owned())
    metrics.inFlight.set(runner.inFlight())
    metrics.buffered.set(reporter.waiting())
  })
  logger.info({ monitors: fleet.owned(), probers: presence.count() }, 'prober checks')

  const stop = async () => {
    const { graceMs } = limits.start
    // First the others learn that they have to take over, then this one stops.
    await patiently(surroundings, graceMs / 10, presence.leave())
    fleet.stop()
    busTime.stop()
    stopGauges()
    await patiently(surroundings, graceMs / 10, watch.close())
    await runner.stop(graceMs * 0.4)
    shedding.stop()
    await reporter.stop(graceMs * 0.3)
    logger.info('prober stopped')
  }
  return {
    unready: () => (bus.connected() ? [] : ['The prober is cut off from the bus: it goes on checking and keeps what it sees.']),
    stop: once(stop),
  }
}

/** Bus time: the own clock plus how much the bus's is ahead, measured again each minute and after each reconnect. */
async function createBusTime(surroundings: Surroundings) {
  const { bus, clock, logger } = surroundings
  let offset = await measure(bus, clock.now)
  let onJump = () => {}
  const remeasure = async () => {
    try {
      const before = offset
      offset = await measure(bus, clock.now)
      if (Math.abs(offset - before) < limits.clock.jumpMs) return
      logger.warn({ jumpMs: offset - before }, 'bus time jumped against the own clock; all slots are planned anew')
      onJump()
    } catch (error) {
      logger.debug({ err: error }, 'bus time could not be measured')
    }
  }
  const stopTicking = every(surroundings, limits.clock.measureMs, () => void remeasure())
  const stopListening = bus.onConnection(connected => {
    if (connected) void remeasure()
  })
  return {
    now: () => clock.now() + offset,
    onJump: (listener: () => void) => {
      onJump = listener
    },
    stop: () => {
      stopTicking()
      stopListening()
    },
  }
}

const measure = async (bus: Bus, now: () => number): Promise<number> => Math.round(await bus.clockOffset(now))

function every({ clock }: Surroundings, periodMs: number, run: () => void): Cancel {
  let cancel: Cancel = () => {}
  const arm = () => {
    cancel = clock.after(periodMs, () => {
      arm()
      run()
    })
  }
  arm()
  return () => cancel()
}

/** What the bus does not answer in time is left behind: stopping must not hang on it. */
async function patiently({ clock }: Surroundings, graceMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(graceMs, resolve)
  await Promise.race([
    promise,
    work.then(
      () => undefined,
      () => undefined,
    ),
  ])
  cancel()
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => {
    running ??= run()
    return running
  }
}
