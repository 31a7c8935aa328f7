// The gateway: translates HTTP requests into questions to the directory and commands to keepers. A response has the form that the dialect
// of the requested API prescribes. The gateway stores nothing. The program that starts the gateway opens the port.
import type { Server } from 'node:http'
import {
  fastify as createFastify,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import {
  createDirectoryClient,
  createKeeperClient,
  createNotifierClient,
  createPreviewClient,
  createProberClient,
} from '#shared/bus/clients/clients.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AuditBlock } from '#shared/contracts/ask/ask-audit.ts'
import { noSuchRoute } from '#shared/errors.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { createSeals } from '#shared/secrecy/seals.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createAudit } from './audit/audit.ts'
import { createAuditQueue } from './audit/audit-queue.ts'
import { letInByKey } from './audit/let-in.ts'
import { type AuthenticateHook, createAuthenticate } from './callers/authenticate.ts'
import { forgetOwnWrites } from './callers/forget-own-writes.ts'
import { createKeyUsage } from './callers/key-usage.ts'
import { watchRevocations } from './callers/revocations.ts'
import { createAddresses, createIdentities } from './callers/token-memory.ts'
import { createPlanner } from './configuration/planner.ts'
import type { GatewayContext } from './context.ts'
import { dashboardRoutes, sendNoSuchPage, wantsPage } from './dashboard/routes.ts'
import { createEventMetrics } from './events/event-metrics.ts'
import { createEventHub } from './events/hub.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createBodyBudget } from './http/body-budget.ts'
import { boundConnections, type Connections } from './http/connections.ts'
import { type Dialect, dialectOf, sendRefusal } from './http/dialect.ts'
import { createDrain, type Drain } from './http/drain.ts'
import { familiesOf } from './http/families.ts'
import type { Family } from './http/family.ts'
import { createForwarding } from './http/forwarding.ts'
import { iconRoute } from './http/icon.ts'
import { plainDialect } from './http/plain-dialect.ts'
import { proxyCheck } from './http/trusted-proxies.ts'
import { refuseExpectation, refuseUnreadable } from './http/unreadable-request.ts'
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts'
import { openApiRoutes } from './openapi/routes.ts'
import { pingHostRewrite } from './pings/ping-host.ts'
import { pingDefaults } from './pings/ping-options.ts'
import { createPings } from './pings/pings.ts'
import { announceGateway, type Presence } from './presence.ts'
import { createSessionEntry } from './session/caller/entry.ts'
import { sessionDefaults } from './session/caller/options.ts'
import { createLocationNames } from './subjects/location-names.ts'
import { createTryLimit } from './subjects/try-limit.ts'

/**
 * Resolves when the gateway is ready to listen. The calling program then calls `fastify.listen({ host, port })`. `service.stop()` stops the
 * gateway gracefully.
 */
export async function createGateway(
  serviceContext: ServiceContext,
  options: GatewayOptions,
  families: readonly Family[] = familiesOf(options),
): Promise<{ fastify: FastifyInstance; service: Service }> {
  const { bus, clock, metrics } = serviceContext
  const directory = createDirectoryClient(bus, clock)
  const logger = serviceContext.logger.child({ service: 'gateway' })
  const write = (blocks: AuditBlock[]) => directory.ask('record-audit', { blocks })
  const auditQueue = options.audit === false ? null : createAuditQueue({ clock, logger, metrics, write })
  const identities = createIdentities(clock, tokenHash => directory.ask('authenticate', { tokenHash }))
  const addresses = createAddresses(clock, tokenHash => directory.ask('find-address', { tokenHash }))
  const incidentIds = createIncidentIds(options.incidentSalt)
  const locationNames = createLocationNames(clock, traceId => directory.ask('list-locations', {}, traceId))
  const events = createEventHub({ bus, clock, incidentIds, locationNames, metrics: createEventMetrics(metrics) })
  const pings = createPings(clock, directory, options.pings ?? pingDefaults)
  const memories = [identities, addresses, pings.memory, events]
  const revocations = await watchRevocations(bus, memories)
  const keyUsage = createKeyUsage(clock, usedAt => directory.ask('touch-keys', { usedAt }))
  const context: GatewayContext = {
    directory: forgetOwnWrites(directory, memories),
    ...clientsOf(bus, clock),
    ...{ clock, logger, incidentIds, locationNames, identities, addresses, pings, keyUsage, events },
    audit: createAudit(clock, auditQueue),
    forwarding: createForwarding(options.trustProxy ?? []),
    planner: createPlanner(clock),
    checkBounds: options.checkBounds ?? { intervalMin: 10, perMinute: 0 },
    seals: createSeals(options.secretsKey ?? ''),
    publicUrl: options.session?.publicUrl ?? null,
    version: options.version,
  }
  const authenticate = createAuthenticate(identities, keyUsage, clock)
  /**
   * Dialects in order of precedence. The first dialect refuses API requests whose path cannot be read. The last dialect responds if no
   * prefix matches.
   */
  const dialects = [...families.map(({ dialect }) => dialect), plainDialect]
  const fastify = createFastify(serverOptions(context, authenticate, dialects, options))
  const drain = createDrain(fastify, clock)
  const counted = createGatewayMetrics(metrics)
  const connections = countConnections(fastify.server, clock, drain, counted, options)
  prepareRequests(fastify, clock, { drain, connections, metrics: counted, options })
  refuseUnknown(fastify, context, options)
  for (const { prefix, routes } of families) await fastify.register(routes(context, authenticate, options), { prefix })
  await fastify.register(openApiRoutes(options), { prefix: '/api/openapi' })
  await fastify.register(dashboardRoutes(context, options))
  iconRoute(fastify)
  fastify.server.on('checkExpectation', refuseExpectation(dialects))
  let presence: Presence | null = null
  fastify.addHook('onListen', done => {
    const tryOut = () => directory.ask('authenticate', { tokenHash: nobodysHash })
    presence = announceGateway(serviceContext, tryOut, context.forwarding.untrusted)
    done()
  })
  await fastify.ready()
  const service: Service = {
    unready: () => {
      if (!bus.connected()) return ['The gateway is cut off from the bus.']
      const isHeard = presence === null || presence.silentMs() <= limits.presence.unansweredMs
      return isHeard ? [] : ['The gateway gets no response from the directory, or the directory none from the store.']
    },
    stop: async () => {
      connections.stop()
      await presence?.stop()
      await events.stop()
      await drain.stop()
      await Promise.all([keyUsage.stop(), context.audit.stop(), context.planner.stop()])
      await revocations.close()
    },
  }
  return { fastify, service }
}

const clientsOf = (bus: Bus, clock: Clock): Pick<GatewayContext, 'keeper' | 'previews' | 'notifier' | 'probers' | 'tries'> => ({
  keeper: createKeeperClient(bus, clock),
  previews: createPreviewClient(bus, clock),
  notifier: createNotifierClient(bus, clock),
  probers: createProberClient(bus),
  tries: createTryLimit(clock),
})

/** Answers requests to paths that no family has: a page to people, a refusal to programs. */
function refuseUnknown(fastify: FastifyInstance, { logger }: GatewayContext, { assets }: GatewayOptions): void {
  fastify.setNotFoundHandler((request, reply) =>
    wantsPage(request)
      ? sendNoSuchPage(request, reply, assets)
      : sendRefusal(plainDialect, logger, noSuchRoute(), request, reply),
  )
}

/** Limits the number of the server's connections, in total and for each holder. */
function countConnections(server: Server, clock: Clock, drain: Drain, counted: GatewayMetrics, options: GatewayOptions) {
  const bounds = options.connections ?? limits.http
  server.maxConnections = bounds.connections + limits.http.connectionsClosing
  server.on('drop', () => counted.closed('server'))
  const isProxy = proxyCheck(options.trustProxy ?? [])
  return boundConnections(server, { clock, bounds, isProxy, stateOf: drain.stateOf, closed: counted.closed })
}

/**
 * Hash that belongs to no token. The gateway asks the directory about this hash; any response shows that the directory and its store work.
 */
const nobodysHash = '0'.repeat(64)

function serverOptions(
  context: GatewayContext,
  authenticate: AuthenticateHook,
  dialects: readonly Dialect[],
  { trustProxy, session = sessionDefaults, pings }: GatewayOptions,
): FastifyHttpOptions<RawServerDefault> {
  const { isWanted: isPages } = createSessionEntry(context, session, null)
  return {
    logger: false,
    trustProxy: trustProxy ?? false,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    connectionTimeout: limits.http.stalledMs,
    // By default, Node refuses a request without a Host header. The gateway serves a request without Host. A check that compares the Host
    // header with an origin treats such a request as sent from another site.
    http: {
      headersTimeout: limits.http.headersMs,
      connectionsCheckingInterval: limits.http.lateMs,
      maxHeaderSize: limits.http.headerBytes,
      requireHostHeader: false,
    },
    ...(pings?.host == null ? {} : { rewriteUrl: pingHostRewrite(pings.host, trustProxy ?? []) }),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: limits.http.headerBytes },
    // The gateway's own readers check bodies, so Fastify must check nothing. Without these two functions, Fastify would load schema
    // compilers.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: refuseUnreadable(dialects),
    frameworkErrors: (_error, request, reply) => {
      const dialect = dialectOf(dialects, request.raw.url ?? '')
      const isKeyed = dialect.isKeyed && !(dialect.admitsSessions === true && isPages(request as FastifyRequest))
      const checkKey = isKeyed ? authenticate : null
      refuseUndecodable(context, checkKey, dialect, request as FastifyRequest, reply as FastifyReply)
    },
  }
}

function noSchemas(): never {
  throw new Error('Invariant broken: a route has a schema of its own')
}

/**
 * Refuses a request whose path cannot be decoded, with the refusal of an unknown route. If the request needs a key, the key is checked
 * first. `authenticate` null: the request needs none, and a session is not looked up, because the refusal tells nothing.
 */
function refuseUndecodable(
  context: GatewayContext,
  authenticate: AuthenticateHook | null,
  dialect: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  request.arrivedAt = context.clock.monotonic()
  const refuse = (error: unknown) => void sendRefusal(dialect, context.logger, error, request, reply)
  if (authenticate === null) refuse(noSuchRoute())
  else
    authenticate(request, reply, refusal => {
      refuse(refusal ?? noSuchRoute())
      if (refusal !== undefined || dialect.isAudited !== true) return
      request.letIn = letInByKey(request.identity)
      context.audit.keep(request, reply.statusCode)
    })
}

interface Watched {
  drain: Drain
  connections: Connections
  metrics: GatewayMetrics
  options: GatewayOptions
}

function prepareRequests(fastify: FastifyInstance, clock: Clock, { drain, connections, metrics, options }: Watched): void {
  const bodies = createBodyBudget(options.bodiesBytes ?? limits.http.bodiesBytes)
  fastify.decorateRequest('bodies', { getter: () => bodies })
  fastify.decorateRequest('holder', null)
  fastify.decorateRequest('identity', null as unknown as Identity)
  fastify.decorateRequest('confirmSender', null)
  fastify.decorateRequest('findCallerAgain', null)
  fastify.decorateRequest('letIn', null)
  fastify.decorateRequest('arrivedAt', 0)
  fastify.decorateRequest('answeredCode', null)
  // Handlers read the bodies that they need (json-body.ts). Fastify parses no body and ignores Content-Type.
  for (const method of fastify.supportedMethods) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = clock.monotonic()
    drain.arrived(request.raw, reply.raw)
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    drain.answered(request.raw, reply.raw)
    connections.answered(request.raw.socket)
    metrics.answered(
      request.routeOptions.url ?? 'unknown',
      codeOf(request, reply),
      (clock.monotonic() - request.arrivedAt) / 1_000,
    )
    done()
  })
}

/**
 * Returns the metrics label of a response: `ok`, the refusal's code in the envelope, or the HTTP status if there is no envelope code.
 * Returns `none` if the response was not sent completely.
 */
function codeOf({ answeredCode }: FastifyRequest, { raw, statusCode }: FastifyReply): string {
  if (!raw.writableFinished) return 'none'
  if (answeredCode !== null) return String(answeredCode)
  return statusCode < 400 ? 'ok' : String(statusCode)
}
