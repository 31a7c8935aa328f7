// Start of this process's prober, in this thread or in a worker thread.
import { Registry } from 'prom-client'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { ServiceContext } from '#shared/service.ts'
import type { Prober, ProberOptions } from '../../../services/prober/app.ts'
import { nameInThread, removeThreadPresence } from '../data/predecessor.ts'
import type { StartOptions } from '../services-options.ts'
import type { PlacedProber, Places } from './place.ts'

/**
 * Starts the prober of a process with other services. The prober moves to a worker thread when it has many checks, or starts in one if
 * `startsInThread`.
 */
export async function placeProber(
  context: ServiceContext,
  options: StartOptions,
  startsInThread: boolean,
): Promise<PlacedProber> {
  const { startPlacedProber } = await import('./place.ts')
  const { settings, busAddress, pace } = options
  const given = await proberOptions(context, options)
  const places: Places = {
    inline: async missedSince => {
      const metrics = new Registry()
      const prober = await startProber({ ...context, metrics }, { ...given, missedSince })
      return { ...prober, metrics: () => metrics.getMetricsAsJSON() }
    },
    thread: async missedSince => {
      const { startProberThread } = await import('./thread.ts')
      const { egress: _, ...prober } = { ...given, proberId: nameInThread(given.proberId), missedSince }
      const egress = { deny: settings.EGRESS_DENY, allow: settings.EGRESS_ALLOW, own: options.ownPorts }
      const data = { logLevel: settings.LOG_LEVEL, bus: busAddress, prober, egress }
      return startProberThread(data, { clock: context.clock, pace })
    },
    removeThread: () => removeThreadPresence(context.bus, given.locationId, given.proberId),
  }
  return options.waiting.directoryStep(() =>
    startPlacedProber(context, places, { missedSince: options.missedSince ?? null, startsInThread }),
  )
}

/** Starts a prober in this thread. Its code is loaded only then. */
export async function startProber(context: ServiceContext, options: ProberOptions): Promise<Prober> {
  const { startProber: start } = await import('../../../services/prober/app.ts')
  return start(context, options)
}

/** Returns the options of this process's prober. Asks the directory for its location if that is not known. */
export async function proberOptions(context: ServiceContext, options: StartOptions): Promise<ProberOptions> {
  const { settings, version, processId } = options
  return {
    locationId: options.locationId || (await idOfLocation(context, options)),
    proberId: settings.PROBER_ID || processId,
    version,
    serviceUrl: settings.SERVICE_URL,
    egress: options.egress,
    secretsKey: options.secretsKey,
    answers: settings.CHECK_ANSWERS === 'on',
  }
}

async function idOfLocation({ bus, clock }: ServiceContext, { settings, waiting }: StartOptions): Promise<string> {
  const directory = createDirectoryClient(bus, clock)
  const { id } = await waiting.directoryStep(() => directory.ask('ensure-location', { name: settings.LOCATION }))
  return id
}
