// Lists of generations 1 and 2 without pages: the bytes of a streamed list, and errors before and after its first byte.
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastifyServer from 'fastify'
import t, { type Test } from 'tap'
import { refusal } from '#shared/errors.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { sendRefusal } from '../../services/gateway/http/dialect.ts'
import type { Route } from '../../services/gateway/http/route.ts'
import { listOf } from '../../services/gateway/http/streamed-list.ts'
import { classicDialect } from '../../services/gateway/v2/dialect.ts'
import { registerRoute } from '../../services/gateway/v2/register.ts'
import { createHandClock } from '../support/hand-clock.ts'

/** Serves a list with these pages; `Error`: this page cannot be read. Returns its URL, and how many pages were asked. */
async function serve(t: Test, given: readonly (unknown[] | Error)[]) {
  const clock = createHandClock()
  const logger = createLogger('silent')
  const fastify = fastifyServer()
  const read = { pages: 0, hasEnded: false }
  async function* pages() {
    try {
      for (const page of given) {
        read.pages++
        if (page instanceof Error) throw page
        yield page
      }
    } finally {
      read.hasEnded = true
    }
  }
  fastify.decorateRequest('arrivedAt', 0)
  fastify.decorateRequest('answeredCode', null)
  fastify.setErrorHandler((error, asked, reply) => sendRefusal(classicDialect, logger, error, asked, reply))
  const route = { method: 'GET', path: '/things', needs: { role: 'anybody', scope: 'full' }, handler: () => listOf(pages()) }
  registerRoute(fastify, { clock, logger } as never, route as unknown as Route, '')
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => fastify.close())
  return { url: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/things`, read }
}

const whole = (items: unknown[]) => JSON.stringify({ result: items, error: null, meta: null })
const thing = (number: number) => ({ id: String(number), name: `Überall ${number} "quoted"`, at: null })

t.test('list of many pages has the bytes of the whole list in one piece', async t => {
  const given = [[], [thing(1), thing(2)], [thing(3)], [], [thing(4)], []]
  const { url } = await serve(t, given)
  const response = await fetch(url)
  t.equal(await response.text(), whole(given.flat()))
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
})

t.test('list of many empty pages is an empty list', async t => {
  const { url } = await serve(t, [[], [], [], []])
  t.equal(await (await fetch(url)).text(), whole([]))
})

t.test('list of one page is sent in one piece, with its length', async t => {
  const { url } = await serve(t, [[thing(1)]])
  const response = await fetch(url)
  t.equal(await response.text(), whole([thing(1)]))
  t.ok(response.headers.get('content-length'))
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
})

t.test('page that cannot be read before the first byte is a refusal', async t => {
  const { url } = await serve(t, [[thing(1)], refusal('access_denied', 'Access denied', 'Because.'), [thing(2)]])
  const response = await fetch(url)
  t.match(await response.json(), { result: null, error: { code: 2005, message: 'Access denied' } })
})

t.test('page that cannot be read after the first byte cuts the connection', async t => {
  const { url } = await serve(t, [[thing(1)], [thing(2)], refusal('unavailable', 'Too slow', 'Because.')])
  const response = await fetch(url)
  t.equal(response.status, 200)
  await t.rejects(response.text(), 'no complete response')
})

t.test('pages that a client does not take are not read', async t => {
  const big = Array.from({ length: 200 }, () => [{ text: 'x'.repeat(100_000) }])
  const { url, read } = await serve(t, big)
  const asked = request(url).end()
  const [response] = await once(asked, 'response')
  response.destroy()
  await once(asked, 'close')
  while (!read.hasEnded) await new Promise(resolve => setImmediate(resolve))
  t.ok(read.pages < big.length, `${read.pages} pages`)
})
