// Observation addresses as a Fastify plugin: `POST /in/{token}` accepts a report; every other path below `/in` is unknown. Sessions are
// ignored. Reference: docs/reference/v3.md, section 8.
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import { noSuchRoute, refusal } from '#shared/errors.ts'
import { looksLikeAddressToken } from '#shared/tokens/address-token.ts'
import { hashToken, looksLikeToken } from '#shared/tokens/api-token.ts'
import { letInByAddress } from '../../audit/let-in.ts'
import { roleIn } from '../../callers/access.ts'
import type { GatewayContext } from '../../context.ts'
import { type Call, callOf, pathPart } from '../../http/answer.ts'
import { noteAccepted } from '../../http/connections.ts'
import { type Dialect, sendRefusal } from '../../http/dialect.ts'
import type { Family } from '../../http/family.ts'
import { storeNothing } from '../../http/no-store.ts'
import { withinBudget } from '../../http/time-budget.ts'
import { v3Dialect } from '../dialect.ts'
import { readBody } from '../read-body.ts'
import { readQuery } from '../read-query.ts'
import { reportRoute } from './take-report.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Observation address of the request; null: the request was sent to another path. */
    reportedTo: AddressIdentity | null
  }
}

export const addressDialect: Dialect = { ...v3Dialect, prefixes: ['/in'], isKeyed: false }

export const addressFamily: Family = {
  prefix: '/in',
  dialect: addressDialect,
  routes: context => addressPlugin(context),
}

const addressPlugin = (context: GatewayContext) => async (fastify: FastifyInstance) => {
  const { logger, clock } = context
  context.audit.watch(fastify)
  storeNothing(fastify)
  fastify.decorateRequest('reportedTo', null)
  fastify.setErrorHandler((error, request, reply) => sendRefusal(addressDialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(addressDialect, logger, noSuchRoute(), request, reply))
  const { method, path, status = 200, takesObservations = false } = reportRoute
  const respond = async (call: Call) => {
    const body = await readBody(reportRoute, call)
    const query = readQuery(reportRoute, call)
    return reportRoute.handler(context, { ...call, found: call.request.reportedTo as AddressIdentity, body, query })
  }
  fastify.route({
    method,
    url: path,
    config: { takesObservations },
    onRequest: createLetIn(context),
    handler: async (request, reply) => {
      const work = respond(callOf(request, reply))
      const result = await withinBudget(clock, request.arrivedAt, addressDialect.budgetMs, work)
      void reply.code(status)
      return addressDialect.success(result)
    },
  })
}

/** First check of a report: its token, then its second factor. A report with an unknown token is refused before its route is looked up. */
function createLetIn(context: GatewayContext) {
  const { clock, keyUsage } = context
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const token = pathPart({ request, reply, traceId: '' }, 'token')
    const check = async (): Promise<void> => {
      const address = looksLikeAddressToken(token) ? await find(context, hashToken(token)) : null
      if (address === null) throw noSuchRoute()
      const person = await requirePerson(context, address, request)
      request.reportedTo = address
      request.letIn = letInByAddress(address, person)
      request.confirmSender = () => confirm(context, hashToken(token), request)
      if (person !== null) keyUsage.used(person.keyId)
      noteAccepted(request, `address:${address.id}`)
    }
    withinBudget(clock, request.arrivedAt, addressDialect.budgetMs, check()).then(
      () => done(),
      error => done(error),
    )
  }
}

const find = async ({ addresses }: GatewayContext, tokenHash: string): Promise<AddressIdentity | null> =>
  addresses.known(tokenHash) ?? (await addresses.find(tokenHash))

/**
 * Checks token and second factor again after the body has arrived, because the body may arrive long after the headers. If the address or
 * the key was deleted before the body arrived, the report is refused.
 */
async function confirm(context: GatewayContext, tokenHash: string, request: FastifyRequest): Promise<void> {
  const address = await find(context, tokenHash)
  if (address === null) throw noSuchRoute()
  await requirePerson(context, address, request)
}

/** Returns the owner of the key that is the second factor; null: the address needs no second factor. Throws `unauthenticated`. */
async function requirePerson(
  { identities }: GatewayContext,
  { secondFactor, workspaceId }: AddressIdentity,
  { headers }: FastifyRequest,
): Promise<Identity | null> {
  if (!secondFactor) return null
  const key = headers['x-observation-key']
  if (key === undefined || key === '') throw refused('This address needs the header X-Observation-Key with a full key')
  const identity = typeof key === 'string' && looksLikeToken(key) ? await identities.find(hashToken(key)) : null
  if (identity !== null && !identity.disabled && identity.scope === null && mayReport(identity, workspaceId)) return identity
  throw refused('X-Observation-Key must hold a full key of an editor or owner of the workspace')
}

function mayReport(identity: Identity, workspaceId: string): boolean {
  const role = roleIn(identity, workspaceId)
  return role === 'editor' || role === 'owner'
}

const refused = (details: string) => refusal('unauthenticated', 'Second factor refused', details)
