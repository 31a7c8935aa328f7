// Starts the services of this process. Stops a service only after all services that need it. The code of a service is loaded only if it
// runs.
import type { AddressInfo } from 'node:net'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createOwnPorts } from '#shared/net/own-ports.ts'
import { createResolve } from '#shared/net/resolve.ts'
import type { LevelledContext, Service, ServiceContext } from '#shared/service.ts'
import { operatorWebhook } from '../../services/notifier/settings.ts'
import type { OpenedStore } from './data/open-known-store.ts'
import { portError } from './ops-server.ts'
import type { PlacedProber } from './prober/place.ts'
import { placeProber, proberOptions, startProber } from './prober/start-prober.ts'
import type { ServicesOptions, StartOptions } from './services-options.ts'
import type { ServiceName } from './settings.ts'

export interface RunningServices {
  /** Address of the gateway; null: no gateway runs here. */
  url: string | null
  unready(): string[]
  warnings(): string[]
  /** Returns the metrics of other threads as a text. The registry of this process does not contain them. */
  metrics(): Promise<string>
  /**
   * First stops checks and the acceptance of new work, then hands partitions over, and at last ends deliveries and requests. Failures are
   * logged, not thrown.
   */
  stop(): Promise<void>
}

const stopOrder: readonly ServiceName[] = ['gateway', 'prober', 'keeper', 'notifier', 'directory']

/**
 * Starts the services in the order of `mode.services`; a prober in a thread starts beside them. If one cannot start, stops the others and
 * throws its error.
 */
export async function startServices(
  context: ServiceContext,
  known: OpenedStore | null,
  given: ServicesOptions,
): Promise<RunningServices> {
  const { clock } = context
  const { EGRESS_DENY: deny, EGRESS_ALLOW: allow } = given.settings
  const ownPorts = [...(given.ownPorts ?? [])]
  const own = createOwnPorts(ownPorts, { clock, resolve: createResolve({ clock }) })
  const options: StartOptions = { ...given, ownPorts, egress: createEgress({ deny, allow, own }) }
  const running = new Map<ServiceName, Service>()
  let url: string | null = null
  let placed: PlacedProber | null = null
  let placing: Promise<void> | null = null
  const { HOST: host, PORT: port } = given.settings
  // A port that is known now is known to a prober that starts before the gateway listens.
  const isPortKnown = port !== 0 || !given.mode.services.includes('gateway')
  if (port !== 0 && given.mode.services.includes('gateway')) ownPorts.push({ host, port })
  const startsInThread = isPortKnown && given.wasInThread === true
  const stop = async () => {
    for (const name of stopOrder) await stopInTime(name, running.get(name), context)
    running.clear()
    await own.stop()
  }
  try {
    for (const name of startsInThread ? proberEarly(options.mode.services) : options.mode.services) {
      if (name === 'gateway') {
        const gateway = await startGateway(context, options)
        running.set(name, gateway.service)
        url = gateway.url
        if (!isPortKnown) ownPorts.push({ host, port: Number(new URL(gateway.url).port) || 80 })
      } else if (name === 'prober' && options.mode.services.length > 1) {
        placing = placeProber(context, options, startsInThread).then(started => {
          placed = started
          running.set(name, started)
        })
        // A thread starts on another core, so the services that follow start beside it.
        if (startsInThread) placing.catch(() => undefined)
        else await placing
      } else if (name === 'prober') {
        const ofProber = await proberOptions(context, options)
        running.set(name, await options.waiting.directoryStep(() => startProber(context, ofProber)))
      } else running.set(name, await startStored(name, { ...context, ...demandStore(known) }, options))
    }
    await placing
  } catch (error) {
    await placing?.catch(() => undefined)
    await stop()
    throw error
  }
  const metrics = async () => (await placed?.metrics()) ?? ''
  const services = () => [...running.values()]
  return {
    url,
    unready: () => services().flatMap(service => service.unready()),
    warnings: () => services().flatMap(service => service.warnings?.() ?? []),
    metrics,
    stop,
  }
}

/** Returns the services with the prober before all that it does not need. */
function proberEarly(names: readonly ServiceName[]): ServiceName[] {
  const isFirst = (name: ServiceName) => name === 'directory' || name === 'prober'
  return [...names.filter(isFirst), ...names.filter(name => !isFirst(name))]
}

/** Stops a service within a bound of time, so that a service that hangs does not prevent a clean stop of the others. */
async function stopInTime(name: ServiceName, service: Service | undefined, { clock, logger }: ServiceContext): Promise<void> {
  if (!service) return
  const stopping = service.stop().catch(error => logger.warn({ err: error, service: name }, 'service did not end cleanly'))
  const hasEnded = await waitAtMost(clock, limits.start.serviceStopMs, stopping)
  if (!hasEnded) logger.warn({ service: name }, 'service did not end in time')
}

async function startStored(
  name: 'directory' | 'keeper' | 'notifier',
  context: LevelledContext,
  options: StartOptions,
): Promise<Service> {
  const { settings, processId, version, incidentSalt } = options
  const secretsKey = options.keyFault ? '' : options.secretsKey
  const websiteHolds = { confirmAfterMs: settings.WEBSITE_CONFIRM_AFTER, closeAfterMs: settings.WEBSITE_CLOSE_AFTER }
  if (name === 'directory') {
    const { startDirectory } = await import('../../services/directory/app.ts')
    const newUserWorkspace = settings.NEW_USER_WORKSPACE
    return startDirectory(context, {
      proberIssuer: options.proberIssuer,
      hasPeers: !options.mode.embeddedStore,
      incidentSalt,
      secretsKey,
      websiteHolds,
      newUserWorkspace,
    })
  }
  if (name === 'keeper') {
    const { startKeeper } = await import('../../services/keeper/app.ts')
    return startKeeper(context, {
      keeperId: processId,
      exclusive: options.mode.embeddedStore,
      ...websiteHolds,
      cachedSubjects: settings.KEEPER_CACHE,
      incidentSalt,
    })
  }
  const { startNotifier } = await import('../../services/notifier/app.ts')
  return startNotifier(context, {
    notifierId: processId,
    exclusive: options.mode.embeddedStore,
    ...(options.predecessors === undefined ? {} : { deadNotifiers: options.predecessors }),
    version,
    incidentSalt,
    secretsKey,
    serviceUrl: settings.SERVICE_URL,
    publicUrl: settings.PUBLIC_URL || `http://localhost:${settings.PORT}`,
    linkBase: settings.PUBLIC_URL || null,
    operatorWebhook: operatorWebhook(settings),
    mail: { server: settings.SMTP_URL, from: settings.SMTP_FROM },
    egress: options.egress,
  })
}

async function startGateway(
  context: ServiceContext,
  { settings, version, incidentSalt, ...options }: ServicesOptions,
): Promise<{ service: Service; url: string }> {
  const secretsKey = options.keyFault ? '' : options.secretsKey
  const { createGateway } = await import('../../services/gateway/app.ts')
  const { dashboardAssets } = await import('../../services/gateway/dashboard/assets.ts')
  const { oidcOptions } = await import('../../services/gateway/session/oidc/oidc-settings.ts')
  const session = {
    publicUrl: settings.PUBLIC_URL || null,
    callbackBase: settings.PUBLIC_URL || `http://localhost:${settings.PORT}`,
    developer: settings.AUTH_DEV === 'true',
    oidc: oidcOptions(settings),
  }
  const checkBounds = { intervalMin: settings.CHECK_INTERVAL_MIN, perMinute: settings.WORKSPACE_CHECKS_PER_MINUTE }
  const { PING_HOST: host, PING_BODY_LIMIT: bodyLimit, KUMA_PUSH: kumaPush } = settings
  const pings = { host, bodyLimit, kumaPush: kumaPush === 'on' }
  const trusted = settings.TRUST_PROXY === null ? {} : { trustProxy: settings.TRUST_PROXY }
  const { fastify, service } = await options.waiting.directoryStep(() =>
    createGateway(context, {
      version,
      incidentSalt,
      secretsKey,
      session,
      checkBounds,
      pings,
      legacy: settings.API_LEGACY,
      ...trusted,
    }),
  )
  try {
    await fastify.listen({ host: settings.HOST, port: settings.PORT })
  } catch (error) {
    await service.stop()
    throw portError(error, settings.HOST, settings.PORT, 'PORT')
  }
  // The start does not wait for the bundling of the pages.
  dashboardAssets('low').catch(error => context.logger.error({ err: error }, 'dashboard not bundled'))
  const { port } = fastify.server.address() as AddressInfo
  return { service, url: `http://${reachable(settings.HOST)}:${port}` }
}

/** Returns the host for a URL by which this machine reaches a listener at `host`. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function demandStore(known: OpenedStore | null): OpenedStore {
  if (known === null) throw new Error('Invariant broken: a service that needs the store runs without one')
  return known
}
