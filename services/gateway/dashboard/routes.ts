// Pages of the dashboard and their assets. Pages require a sign-in. A visitor who is not signed in is sent to the sign-in page, and
// afterwards back to the page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type PageName, pagePaths, signInPath } from '#shared/contracts/session/page-paths.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { queryText } from '../body/query.ts'
import type { GatewayContext } from '../context.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import { callOf } from '../http/answer.ts'
import { noteAccepted } from '../http/connections.ts'
import { withinBudget } from '../http/time-budget.ts'
import { requireLocalVisitor } from '../session/caller/developer.ts'
import { isSecure, type SessionOptions, sessionDefaults } from '../session/caller/options.ts'
import { holderOf } from '../session/caller/session-call.ts'
import { createCookieJar } from '../session/caller/session-cookie.ts'
import { localPath } from '../session/oidc/oidc-paths.ts'
import { type Assets, assetFolder, dashboardAssets } from './assets.ts'
import { firstData, type PageContext, visitorOf } from './first-data.ts'
import { appPage, plainPage } from './page.ts'
import { sendAsset, sendPage } from './send.ts'

/** A Fastify plugin for the root path. */
export const dashboardRoutes =
  (
    gateway: GatewayContext,
    { session = sessionDefaults, assets: assetsOf = dashboardAssets }: Pick<GatewayOptions, 'session' | 'assets'>,
  ) =>
  async (fastify: FastifyInstance) => {
    const context: PageContext = { ...gateway, options: session, cookies: createCookieJar(isSecure(session)) }
    fastify.setErrorHandler(async (error, request, reply) => sendFailure(context, await assetsOf(), error, request, reply))
    fastify.get(`${assetFolder}/:name`, async (request, reply) => {
      const asset = (await assetsOf()).files.get(request.url)
      return asset === undefined ? sendNoSuchPage(request, reply, assetsOf) : sendAsset(request, reply, asset)
    })
    const get = (path: string, send: Send) =>
      fastify.get(path, async (request, reply) => {
        if (session.developer) requireLocalVisitor(request)
        // The time limit begins only now: after a start on a busy machine, the browser may wait for seconds until the pages are bundled.
        const assets = await assetsOf()
        const { clock } = context
        return withinBudget(clock, clock.monotonic(), limits.http.answerMs, send(context, assets, request, reply))
      })
    for (const [page, path] of Object.entries(pagePaths) as [PageName, string][]) get(path, sendAppPage(page))
    get(signInPath, sendSignInPage)
    // Messages to destinations contain links to `/subjects/<id>`.
    fastify.get('/subjects/:id', (request, reply) => {
      const { id } = request.params as { id: string }
      return reply.redirect(`/monitors/${encodeURIComponent(id)}${queryOf(request)}`, 303)
    })
  }

/** Sends the page that a browser shows for an unknown path. */
export async function sendNoSuchPage(
  request: FastifyRequest,
  reply: FastifyReply,
  assetsOf: () => Promise<Assets> = dashboardAssets,
): Promise<FastifyReply> {
  return sendPage(
    request,
    reply,
    404,
    plainPage(await assetsOf(), 'There is no such page', 'The address may be mistyped, or the page has moved.'),
  )
}

/** Whether the request wants a page, not data. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')

type Send = (context: PageContext, assets: Assets, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

const sendAppPage =
  (page: PageName): Send =>
  async (context, { app, style }, request, reply) => {
    const call = callOf(request, reply)
    const visitor = await visitorOf(context, call)
    if (visitor === null) return reply.redirect(signInAddress(request), 303)
    noteAccepted(request, holderOf(visitor))
    return sendPage(request, reply, 200, appPage(app, style, page, await firstData(context, call, visitor)))
  }

async function sendSignInPage(
  context: PageContext,
  { signIn, style }: Assets,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await visitorOf(context, callOf(request, reply))
  if (visitor !== null) return reply.redirect(localPath(queryText(request, 'return_to')), 303)
  return sendPage(request, reply, 200, appPage(signIn, style, null, waysIn(context.options)))
}

/** Returns the same object as `GET /session/sign-in`. */
const waysIn = ({ oidc }: SessionOptions): object => ({ oidc: oidc && { name: oidc.name } })

/**
 * Returns the address of the sign-in page. After a failed sign-in, the provider's callback redirects to `/` with an error word. This
 * address passes the same word to the sign-in page.
 */
function signInAddress(request: FastifyRequest): string {
  const word = queryText(request, 'sign_in_error')
  if (word !== null) return `${signInPath}?sign_in_error=${encodeURIComponent(word)}`
  return request.url === '/' ? signInPath : `${signInPath}?return_to=${encodeURIComponent(request.url)}`
}

async function sendFailure(
  { logger }: PageContext,
  assets: Assets,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (error instanceof AppError && !error.retryable && error.code !== 'internal') {
    return sendPage(
      request,
      reply,
      403,
      plainPage(assets, 'Not allowed', 'This installation serves its pages to this machine alone.'),
    )
  }
  logger.warn({ err: error, route: request.routeOptions.url }, 'page failed')
  return sendPage(
    request,
    reply,
    503,
    plainPage(assets, 'Temporarily unavailable', 'The page could not be made in time. Load it again in a moment.'),
  )
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')
