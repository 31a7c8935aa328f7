// What is kept of the answer to a failed check, against real servers on loopback: its bounds, what is hidden, and that outcome and times say
// nothing of it. Reference: docs/reference/v3.md, 5.10.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { entryOf } from '#shared/checks/registry.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { keepsAnswer, noteAnswer } from '../../services/prober/monitor.ts'
import { checkEntry, httpCheckEntry } from '../support/checks.ts'
import { certificates } from './certificates.ts'
import { runCheck } from './run-check.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())
let answer: RequestListener = (_, response) => void response.end()
const server = createServer((request, response) => answer(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => void server.close().closeAllConnections())
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const around = {
  clock,
  resolve: () => undefined,
  userAgent: 'us',
  egress: createEgress({ deny: [], allow: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] } as never),
}
const check = (options: Record<string, unknown> = {}, keepsAnswer: ((error: string) => boolean) | null = () => true) =>
  runCheck(httpCheckEntry(`${origin}/`, options), { ...around, ...(keepsAnswer && { keepsAnswer }) })
const replies =
  (status: number, body: string | Buffer, headers: Record<string, string | string[]> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { date: 'now', ...headers }).end(body)

t.test('status line, headers and the beginning of the body are kept, whatever the check has failed by (v3 5.10)', async t => {
  const rows: [title: string, options: object, listener: RequestListener, kept: object][] = [
    [
      'a status',
      {},
      replies(503, 'database is down', { 'retry-after': '120' }),
      { statusLine: 'HTTP/1.1 503 Service Unavailable', body: 'database is down', binary: false, truncated: false },
    ],
    ['a text', { contains: 'well' }, replies(200, 'ill'), { statusLine: 'HTTP/1.1 200 OK', body: 'ill', truncated: false }],
    ['a compressed body', {}, replies(500, gzipSync('squeezed'), { 'content-encoding': 'gzip' }), { body: 'squeezed' }],
    ['a long body', {}, replies(500, 'x'.repeat(5_000)), { body: 'x'.repeat(2_048), truncated: true }],
    ['a body of just the length', {}, replies(500, 'x'.repeat(2_048)), { body: 'x'.repeat(2_048), truncated: false }],
    ['no text', {}, replies(500, Buffer.from([0, 1, 2, 255, 254])), { body: '', binary: true }],
    [
      'another charset',
      {},
      replies(500, Buffer.from('gr\xfc\xdfe', 'latin1'), { 'content-type': 'text/plain; charset=iso-8859-1' }),
      { body: 'grüße' },
    ],
    ['HEAD', { method: 'HEAD' }, replies(500, ''), { statusLine: 'HTTP/1.1 500 Internal Server Error', body: '' }],
    [
      'a redirect',
      { redirects: 1 },
      replies(302, 'moved', { location: '/x?token=abc' }),
      { statusLine: 'HTTP/1.1 302 Found', body: 'moved' },
    ],
  ]
  for (const [title, options, listener, kept] of rows) {
    answer = listener
    const outcome = await check(options as Record<string, unknown>)
    t.match(outcome, { ok: false, response: kept }, title)
    t.ok(outcome.error, title)
  }
  t.match((await check({ redirects: 1 })).response?.headers, ['date: now', 'location: /x?token=redacted'], 'an address')
})

t.test('credentials and secrets of the check are hidden, also in Base64 and where the kept part ends (v3 5.10)', async t => {
  const token = 'k-12345678-secret'
  const forms = [token, Buffer.from(token).toString('base64'), encodeURIComponent(token), JSON.stringify(token)]
  answer = replies(500, `${forms.join(' ')} ${'x'.repeat(1_500)}`, {
    'set-cookie': ['a=1', 'b=2'],
    'x-api-key': 'theirs',
    'x-echo': `Bearer ${token}`,
  })
  const { response } = await check({ bearer: token })
  t.match(response?.headers, [
    'date: now',
    'set-cookie: [redacted]',
    'set-cookie: [redacted]',
    'x-api-key: [redacted]',
    'x-echo: [redacted]',
  ])
  t.notMatch(JSON.stringify(response), /k-12345|ay0xMjM0/)
  for (let length = 2_035; length < 2_050; length++) {
    answer = replies(500, `${'x'.repeat(length)}${token} and more`)
    t.notMatch((await check({ bearer: token })).response?.body, /x[^x[]/, `${length} characters before the secret`)
  }
})

t.test('a body that does not come is waited for one second, which the outcome does not count (v3 5.10)', async t => {
  answer = (_, response) => void response.writeHead(503).write('begun')
  const startedAt = clock.monotonic()
  const outcome = await check()
  const tookMs = clock.monotonic() - startedAt
  t.match(outcome, { error: 'status 503, expected 200-299', response: { body: 'begun', truncated: true }, value: null })
  t.ok(tookMs >= limits.answers.readMs - 50 && tookMs < 5_000, `${tookMs} ms`)
  t.ok(outcome.phases.totalMs < limits.answers.readMs, `${outcome.phases.totalMs} ms`)
})

t.test('nothing is kept of a check that passes, is not to be kept, or is of the kind of website monitors', async t => {
  answer = replies(200, 'well')
  t.equal((await check()).response, undefined)
  answer = replies(503, 'ill')
  t.equal((await check({}, null)).response, undefined)
  const asked: string[] = []
  const refused = await check({}, error => asked.push(error) === 0)
  t.strictSame([refused.response, asked], [undefined, ['status 503, expected 200-299']])
  const website = await runCheck(checkEntry({ url: `${origin}/` }), { ...around, keepsAnswer: () => true })
  t.strictSame([website.ok, website.response], [false, undefined])
})

t.test('the answer of a port is kept without the text that was sent', async t => {
  const port = createTcpServer(socket => void socket.on('error', () => {}).end('421 busy, you said hello-secret\r\n'))
  port.listen(0, '127.0.0.1')
  await once(port, 'listening')
  t.teardown(() => port.close())
  const options = { host: '127.0.0.1', port: (port.address() as AddressInfo).port, send: 'hello-secret', expect: '220' }
  const entry = entryOf(readCheckAnswers(tcp, { ...options, locations: ['aaaa'] }, null), 1)
  const outcome = await runCheck(entry, { ...around, keepsAnswer: () => true })
  t.match(outcome, {
    ok: false,
    response: { statusLine: null, headers: [], body: '421 busy, you said [redacted]\r\n', truncated: false },
  })
})

t.test('an answer is kept if the check fails in another way than before, at most once a minute (v3 5.10)', async t => {
  const monitor = { failedBy: null as string | null, answeredAt: Number.NEGATIVE_INFINITY }
  const response = { statusLine: null, headers: [], body: '', binary: false, truncated: false }
  const fail = (error: string | null, now: number) => {
    const isKept = error !== null && keepsAnswer(monitor, error, now)
    noteAnswer(monitor, { error, ...(isKept && { response }) } as never, now)
    return isKept
  }
  const second = 1_000
  const kept = [fail('a', 0), fail('a', 90 * second), fail('b', 100 * second), fail('c', 130 * second), fail('d', 170 * second)]
  t.strictSame(kept, [true, false, true, false, true])
  t.strictSame([fail(null, 200 * second), fail('d', 240 * second)], [false, true], 'the same failure after a check that passed')
})

t.test('a check that is tried says certificate and records, and any other check neither (v3 6.10)', async t => {
  const secure = createHttpsServer({ key: certificates.key, cert: certificates.good }, (_, response) => void response.end())
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  t.teardown(() => void secure.close().closeAllConnections())
  const entry = httpCheckEntry(`https://127.0.0.1:${(secure.address() as AddressInfo).port}/`, { verify: false })
  const tried = await runCheck(entry, { ...around, isTried: true })
  t.match(tried, {
    ok: true,
    details: { hops: [], records: null, certificate: { subject: /CN=/, issuer: /CN=/, validTo: Number } },
  })
  t.equal((await runCheck(entry, around)).details, undefined)
})
