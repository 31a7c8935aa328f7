// The gateway: translates HTTP into questions to the directory and commands to keepers, and answers in each dialect's envelope.
// It owns nothing and never listens: whoever runs it does.
import type { Server } from 'node:http'
import {
  fastify as createFastify,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import { createDirectoryClient } from '#shared/bus/ask-directory.ts'
import { createNotifierClient } from '#shared/bus/ask-notifier.ts'
import { createPreviewClient } from '#shared/bus/ask-preview.ts'
import { createKeeperClient } from '#shared/bus/command-keeper.ts'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import type { AuditRow } from '#shared/contracts/ask-audit.ts'
import { createIncidentIds } from '#shared/incident-ids.ts'
import { limits } from '#shared/limits.ts'
import type { Service, Surroundings } from '#shared/service.ts'
import { createAudit } from './audit/audit.ts'
import { createAuditQueue } from './audit/audit-queue.ts'
import { letInByKey } from './audit/let-in.ts'
import { type AuthenticateHook, createAuthenticate } from './authenticate.ts'
import type { GatewayContext } from './context.ts'
import { type Dialect, dialectOf, noSuchRoute, sendRefusal } from './dialect.ts'
import { createDrain, type Drain } from './drain.ts'
import { familiesOf } from './families.ts'
import type { Family } from './family.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { iconRoute } from './icon.ts'
import { createAddresses, createIdentities } from './identities.ts'
import { createKeyUsage } from './key-usage.ts'
import { createLocationNames } from './location-names.ts'
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts'
import { openApiRoutes } from './openapi/routes.ts'
import { plainDialect } from './plain-dialect.ts'
import { announceGateway, type Presence } from './presence.ts'
import { watchRevocations } from './revocations.ts'
import { boundStrangers } from './strangers.ts'
import { proxyCheck } from './trusted-proxies.ts'
import { refuseExpectation, refuseUnreadable } from './unreadable-request.ts'

/** Resolves when the gateway may listen: `fastify.listen({ host, port })`. `service.stop()` closes it with grace. */
export async function createGateway(
  surroundings: Surroundings,
  options: GatewayOptions,
  families: readonly Family[] = familiesOf(options.legacy ?? 'serve'),
): Promise<{ fastify: FastifyInstance; service: Service }> {
  const { bus, clock, metrics } = surroundings
  const directory = createDirectoryClient(bus, clock)
  const logger = surroundings.logger.child({ service: 'gateway' })
  const write = (rows: AuditRow[]) => directory.ask('record-audit', { rows })
  const auditQueue = options.audit === false ? null : createAuditQueue({ clock, logger, metrics, write })
  const identities = createIdentities(clock, tokenHash => directory.ask('authenticate', { tokenHash }))
  const addresses = createAddresses(clock, tokenHash => directory.ask('find-address', { tokenHash }))
  const revocations = await watchRevocations(bus, [identities, addresses])
  const keyUsage = createKeyUsage(clock, usedAt => directory.ask('touch-keys', { usedAt }))
  const context: GatewayContext = {
    directory,
    keeper: createKeeperClient(bus, clock),
    previews: createPreviewClient(bus, clock),
    notifier: createNotifierClient(bus, clock),
    clock,
    logger,
    incidentIds: createIncidentIds(options.incidentSalt),
    locationNames: createLocationNames(clock, traceId => directory.ask('list-locations', {}, traceId)),
    audit: createAudit(clock, auditQueue),
    identities,
    addresses,
    keyUsage,
    publicUrl: options.session?.publicUrl ?? null,
    version: options.version,
  }
  const authenticate = createAuthenticate(identities, keyUsage, clock)
  /** The first speaks to a request whose path is not known, the last if no prefix fits. */
  const dialects = [...families.map(({ dialect }) => dialect), plainDialect]
  const fastify = createFastify(serverOptions(context, authenticate, dialects, options.trustProxy))
  const drain = createDrain(fastify, clock)
  const counted = createGatewayMetrics(metrics)
  prepareRequests(fastify, clock, drain, counted)
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(plainDialect, context.logger, noSuchRoute(), request, reply))
  for (const { prefix, routes } of families) await fastify.register(routes(context, authenticate, options), { prefix })
  await fastify.register(openApiRoutes(options), { prefix: '/api/openapi' })
  iconRoute(fastify)
  const ignoreStrangers = boundConnections(fastify.server, { clock, drain, counted, options })
  fastify.server.on('checkExpectation', refuseExpectation(dialects))
  let presence: Presence | null = null
  fastify.addHook('onListen', done => {
    presence = announceGateway(surroundings, () => directory.ask('authenticate', { tokenHash: nobodysHash }))
    done()
  })
  await fastify.ready()
  const service: Service = {
    unready: () => (bus.connected() ? [] : ['The gateway is cut off from the bus.']),
    stop: async () => {
      ignoreStrangers()
      await presence?.stop()
      await drain.stop()
      await Promise.all([keyUsage.stop(), context.audit.stop()])
      await revocations.close()
    },
  }
  return { fastify, service }
}

interface Means {
  clock: Clock
  drain: Drain
  counted: GatewayMetrics
  options: GatewayOptions
}

/** The returned function ends it. */
function boundConnections(server: Server, { clock, drain, counted, options }: Means): () => void {
  const bounds = options.connections ?? limits.http
  server.maxConnections = bounds.connections + limits.http.connectionsClosing
  server.on('drop', () => counted.closed('server'))
  const isProxy = proxyCheck(options.trustProxy ?? [])
  return boundStrangers(server, { clock, bounds, isProxy, isAnswering: drain.isAnswering, closed: counted.closed })
}

/** Of no token: asked about, it shows that the directory and its store answer. */
const nobodysHash = '0'.repeat(64)

function serverOptions(
  context: GatewayContext,
  authenticate: AuthenticateHook,
  dialects: readonly Dialect[],
  trustProxy: GatewayOptions['trustProxy'],
): FastifyHttpOptions<RawServerDefault> {
  return {
    logger: false,
    trustProxy: trustProxy ?? false,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    connectionTimeout: limits.http.stalledMs,
    // Node itself would refuse a request without Host, under /api too. It is served; who compares Host takes none for a foreign one.
    http: {
      headersTimeout: limits.http.headersMs,
      connectionsCheckingInterval: limits.http.lateMs,
      maxHeaderSize: limits.http.headerBytes,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: limits.http.headerBytes },
    // Bodies are checked against contracts, not by Fastify: without these it would load the compilers of its own schemas.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: refuseUnreadable(dialects),
    frameworkErrors: (_error, request, reply) =>
      refuseUndecodable(context, authenticate, dialects, request as FastifyRequest, reply as FastifyReply),
  }
}

function noSchemas(): never {
  throw new Error('Invariant broken: a route has a schema of its own')
}

/** A path that cannot be decoded is no route. Where a key comes first, it comes first here as well. */
function refuseUndecodable(
  context: GatewayContext,
  authenticate: AuthenticateHook,
  dialects: readonly Dialect[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const dialect = dialectOf(dialects, request.raw.url ?? '')
  request.arrivedAt = context.clock.monotonic()
  const refuse = (error: unknown) => void sendRefusal(dialect, context.logger, error, request, reply)
  if (!dialect.isKeyed) refuse(noSuchRoute())
  else
    authenticate(request, reply, refusal => {
      refuse(refusal ?? noSuchRoute())
      if (refusal !== undefined || dialect.isAudited !== true) return
      request.letIn = letInByKey(request.identity)
      context.audit.keep(request, reply.statusCode)
    })
}

/** The hooks that every route pays: kept to one clock reading at each end. */
function prepareRequests(fastify: FastifyInstance, clock: Clock, drain: Drain, metrics: GatewayMetrics): void {
  fastify.decorateRequest('identity', null as unknown as Identity)
  fastify.decorateRequest('confirmSender', null)
  fastify.decorateRequest('letIn', null)
  fastify.decorateRequest('arrivedAt', 0)
  fastify.decorateRequest('answeredCode', null)
  // Bodies are read by the routes that want one (json-body.ts): Fastify looks at none, nor at what a Content-Type says of it.
  for (const method of fastify.supportedMethods) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = clock.monotonic()
    drain.arrived(request.raw, reply.raw)
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    drain.answered(request.raw, reply.raw)
    metrics.answered(
      request.routeOptions.url ?? 'unknown',
      codeOf(request, reply),
      (clock.monotonic() - request.arrivedAt) / 1_000,
    )
    done()
  })
}

/** How the answer ended: `ok`, the code of the refusal (of its envelope, else its status), or `none` if it did not get out. */
function codeOf({ answeredCode }: FastifyRequest, { raw, statusCode }: FastifyReply): string {
  if (!raw.writableFinished) return 'none'
  if (answeredCode !== null) return String(answeredCode)
  return statusCode < 400 ? 'ok' : String(statusCode)
}
