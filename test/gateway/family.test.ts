// A generation of the API is a dialect (the form of its refusals) and a plugin (its routes). A test generation needs no other code.
import { connect } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { AppError, noSuchRoute } from '#shared/errors.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { type Dialect, dialectOf, type Refusal, sendRefusal } from '../../services/gateway/http/dialect.ts'
import { allFamilies } from '../../services/gateway/http/families.ts'
import type { Family } from '../../services/gateway/http/family.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'

const refusal = (word: string): Refusal => ({ status: 418, body: { word }, code: 418, isInternal: false })

const planted: Dialect = {
  prefixes: ['/api/v4'],
  isKeyed: true,
  budgetMs: 1_000,
  success: result => ({ said: result }),
  refuse: error => refusal(error instanceof AppError ? error.code : 'broken'),
  unreadable: reason => refusal(reason),
}

const family: Family = {
  prefix: '/api/v4',
  dialect: planted,
  routes: (context, authenticate) => async fastify => {
    fastify.addHook('onRequest', authenticate)
    fastify.setErrorHandler((error, request, reply) => sendRefusal(planted, context.logger, error, request, reply))
    fastify.setNotFoundHandler((request, reply) => void sendRefusal(planted, context.logger, noSuchRoute(), request, reply))
  },
}

t.test('test generation refuses unknown keys, undecodable paths and unreadable bytes in its dialect', async t => {
  const clock = createHandClock()
  const bus = createMemoryHub({ clock }).connect()
  const around = { bus, clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const { fastify, service } = await createGateway(around, { version: '2.0.0', incidentSalt: '' }, [...allFamilies, family])
  t.teardown(() => service.stop())
  const address = await fastify.listen({ host: '127.0.0.1', port: 0 })
  for (const path of ['/api/v4', '/api/v4/nothing', '/api/v4/%E0']) {
    const response = await fetch(`${address}${path}`)
    t.equal(response.status, 418, path)
    t.strictSame(await response.json(), { word: 'unauthenticated' }, path)
  }
  const expecting = await send(Number(new URL(address).port), 'GET /api/v4/x HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n')
  t.match(expecting, /^HTTP\/1\.1 418 .*\{"word":"expectation"\}/s)
  const garbled = await send(Number(new URL(address).port), 'GET /api/v4/x HTTP/1.1\r\nHost\r\n\r\n')
  t.match(garbled, /^HTTP\/1\.1 418 .*\r\n\r\n\{"word":"no http"\}$/s)
})

t.test('dialect is chosen by the longest prefix of a path', t => {
  const dialects = [...allFamilies.map(({ dialect }) => dialect), planted]
  const rows: [target: string, prefix: string][] = [
    ['/api', '/api'],
    ['/api/v3', '/api/v3'],
    ['/api/v3?x=1', '/api/v3'],
    ['/api/v31', '/api'],
    ['http://host/api/v3/key', '/api/v3'],
    ['/api/v4/x', '/api/v4'],
    ['/session/me', '/session'],
    ['/apiary', '/api/v4'],
  ]
  for (const [target, prefix] of rows) t.equal(dialectOf(dialects, target).prefixes[0], prefix, target)
  t.end()
})

/** Sends the bytes and returns all bytes that arrive until the connection closes. */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', chunk => (received += chunk.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}
