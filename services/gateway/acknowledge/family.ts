// Acknowledge links as a Fastify plugin: `/a/{token}` shows an Incident to whoever has the token, and a POST takes it on. No key, no session,
// no cookie; GET and HEAD change nothing. The token stands in no log, metric or audit row. Reference: docs/reference/v3.md, 10.21 and 10.22.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AcknowledgeLink } from '#shared/contracts/ask/ask-incidents.ts'
import { AppError, noSuchRoute, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { clientNetwork } from '#shared/net/client-network.ts'
import { readAcknowledgeToken } from '#shared/tokens/acknowledge-token.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { letInByLink } from '../audit/let-in.ts'
import type { GatewayContext } from '../context.ts'
import { type Call, callOf, pathPart } from '../http/answer.ts'
import { type Dialect, type Refusal, sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { createMinuteBound, type MinuteBound } from '../http/minute-bound.ts'
import { noStore } from '../http/no-store.ts'
import { withinBudget } from '../http/time-budget.ts'
import { commandId } from '../subjects/command-id.ts'
import { sayCauses } from '../subjects/named-causes.ts'
import { v3Dialect } from '../v3/dialect.ts'
import { incidentPage, pageHeaders, plainSentence, type Shown } from './page.ts'
import { isJson, readSent, wrongBody } from './sent.ts'

/** Of every response. A telephone's application may send the POST from a page of its own. */
const headers = {
  ...noStore,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'access-control-allow-origin': '*',
} as const

const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '600',
} as const

/** Refusals as pages; a client that sent JSON gets those of generation 3. */
const dialect: Dialect = {
  ...v3Dialect,
  prefixes: ['/a'],
  isKeyed: false,
  admitsSessions: false,
  refuse: error => asPage(v3Dialect.refuse(error)),
}

export const acknowledgeFamily: Family = { prefix: '/a', dialect, routes: context => acknowledgePlugin(context) }

function asPage({ status, code, isInternal, headers: more = {} }: Refusal): Refusal {
  const [title, sentence] = sentences[status] ?? sentences[500]
  return { status, code, isInternal, headers: { ...more, ...headers, ...pageHeaders }, body: plainSentence(title, sentence) }
}

const sentences: Readonly<Record<number, readonly [title: string, sentence: string]> & { 500: readonly [string, string] }> = {
  404: ['This link does not work', 'It is mistyped or has ended, or what it was about is gone.'],
  429: ['Too many tries', 'Wait a minute, then send it again.'],
  500: ['Not now', 'Something does not answer. Load the page again in a moment.'],
}

const acknowledgePlugin = (context: GatewayContext) => async (fastify: FastifyInstance) => {
  const { clock, logger, audit } = context
  const posts = createMinuteBound(clock, limits.acknowledge.networks)
  audit.watch(fastify)
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers)
    done()
  })
  fastify.setErrorHandler((error, request, reply) =>
    sendRefusal(isJson(request) && !isGone(error) ? v3Dialect : dialect, logger, error, request, reply),
  )
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(dialect, logger, noSuchRoute(), request, reply))
  const serve = (handle: (call: Call) => Promise<FastifyReply>) => (request: FastifyRequest, reply: FastifyReply) =>
    withinBudget(clock, request.arrivedAt, dialect.budgetMs, handle(callOf(request, reply)))
  fastify.options('/:token', (_request, reply) => reply.code(204).headers(preflight).send())
  fastify.get(
    '/:token',
    serve(async call => sendIncident(context, call, 200, { link: await find(context, call) })),
  )
  fastify.post(
    '/:token',
    serve(async call => {
      requireRoom(posts, call)
      return take(context, call)
    }),
  )
}

/** Every client is told of a wrong link in the same way. */
const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found'

function requireRoom(posts: MinuteBound, { request }: Call): void {
  const { postsPerMinute } = limits.acknowledge
  if (posts.take(clientNetwork(request.ip), postsPerMinute)) return
  throw refusal('busy', 'Too many tries', `At most ${postsPerMinute} tries a minute: wait a moment`)
}

/** Returns what the link of the path is about. Throws `not_found`. */
async function find({ directory }: GatewayContext, call: Call): Promise<AcknowledgeLink> {
  const token = pathPart(call, 'token')
  const claims = readAcknowledgeToken(token)
  const link = claims && (await directory.ask('read-acknowledge-link', { ...claims, tokenHash: hashToken(token) }, call.traceId))
  if (link === null) throw noSuchRoute()
  return link
}

async function take(context: GatewayContext, call: Call): Promise<FastifyReply> {
  const { request, reply } = call
  const link = await find(context, call)
  request.letIn = letInByLink(link)
  const sent = await readSent(request, reply)
  if (!sent.ok) {
    if (isJson(request)) throw wrongBody(sent.why)
    return sendIncident(context, call, 422, { link, refused: sent.why })
  }
  const { name } = link.destination
  const acknowledged = await acknowledge(context, call, link, `${sent.by ?? name} (link of ${name})`)
  if (isJson(request)) return reply.code(acknowledged ? 200 : 409).send({ acknowledged })
  if (acknowledged) return reply.redirect(`/a/${encodeURIComponent(pathPart(call, 'token'))}`, 303)
  return sendIncident(context, call, 409, { link: await find(context, call) })
}

/** Returns whether this request took the Incident on; false: somebody had taken it, or it is closed. */
async function acknowledge(context: GatewayContext, call: Call, link: AcknowledgeLink, by: string): Promise<boolean> {
  const { id: incidentId, isOpen, acknowledgement, resource } = link.incident
  if (!isOpen || acknowledgement !== null) return false
  const command = { kind: 'acknowledge-incident', id: commandId(), incidentId, by, via: 'link' } as const
  try {
    return (await context.keeper.send(resource.id, command, call.traceId)).recorded
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

async function sendIncident(
  context: GatewayContext,
  { reply, traceId }: Call,
  status: 200 | 409 | 422,
  { link, refused }: Pick<Shown, 'link' | 'refused'>,
): Promise<FastifyReply> {
  const sayCause = await sayCauses(context, [link.incident.cause], traceId)
  const shown = { link, cause: sayCause(link.incident.cause), now: context.clock.now() }
  const html = incidentPage(refused === undefined ? shown : { ...shown, refused })
  return reply.code(status).headers(pageHeaders).send(html)
}
