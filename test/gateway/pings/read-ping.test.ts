// What the path and the query of a ping mean, what is kept of its body, and which host has short addresses. Pure. Reference:
// docs/reference/v3.md, 17.1 to 17.3 and 17.9.
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { bodyText } from '../../../services/gateway/pings/ping-body.ts'
import { parsePingHost, pingHostRewrite } from '../../../services/gateway/pings/ping-host.ts'
import { createPingQueue } from '../../../services/gateway/pings/ping-queue.ts'
import { readPing, type SentPing, type SentQuery } from '../../../services/gateway/pings/read-ping.ts'
import { readPush } from '../../../services/gateway/pings/read-push.ts'

const id = 'f3a1c2d4-0000-4abc-8def-0123456789ab'
const run = '00000000-0000-0000-0000-0000000000ff'
const key = 'abcdefghijklmnopqrstuv'
const success = { action: 'success', exitStatus: null, run: null, fault: null, mayCreate: false } as const
const slug = 'nightly-backup'

type Read = ReturnType<typeof readPing>
const ofId = (more: Partial<SentPing> = {}): Read => ({ name: { id }, ...success, ...more })
const ofKey = (more: Partial<SentPing> = {}): Read => ({ name: { key, slug }, ...success, ...more })

const rows: [title: string, path: string, query: SentQuery, read: Read][] = [
  ['UUID alone', id, {}, ofId()],
  ['UUID with one slash', `${id}/`, {}, ofId()],
  ['UUID with two slashes', `${id}//`, {}, 'unknown'],
  ['UUID in upper case', id.toUpperCase(), {}, ofId()],
  ['UUID and start', `${id}/start`, {}, ofId({ action: 'start' })],
  ['UUID and fail', `${id}/fail`, {}, ofId({ action: 'fail' })],
  ['UUID and log', `${id}/log`, {}, ofId({ action: 'log' })],
  ['tail in upper case', `${id}/START`, {}, ofId({ action: 'start' })],
  ['tail and a slash', `${id}/start/`, {}, 'unknown'],
  ['two tails', `${id}/start/fail`, {}, 'unknown'],
  ['exit status 0', `${id}/0`, {}, ofId({ exitStatus: 0 })],
  ['exit status 1', `${id}/1`, {}, ofId({ action: 'fail', exitStatus: 1 })],
  ['exit status with zeros', `${id}/003`, {}, ofId({ action: 'fail', exitStatus: 3 })],
  ['exit status 255', `${id}/255`, {}, ofId({ action: 'fail', exitStatus: 255 })],
  ['exit status over 255', `${id}/256`, {}, ofId({ action: 'fail', fault: 'badUrl' })],
  ['exit status of many digits', `${id}/${'9'.repeat(400)}`, {}, ofId({ action: 'fail', fault: 'badUrl' })],
  ['exit status below 0', `${id}/-1`, {}, 'unknown'],
  ['exit status with a fraction', `${id}/1.0`, {}, 'unknown'],
  ['exit status in other digits', `${id}/٣`, {}, 'unknown'],
  ['unknown tail', `${id}/other`, {}, 'unknown'],
  ['UUID without dashes', id.replaceAll('-', ''), {}, 'unknown'],
  ['nothing', '', {}, 'unknown'],
  ['slash alone', '/', {}, 'unknown'],
  ['rid', id, { rid: run }, ofId({ run })],
  ['rid in upper case', id, { rid: run.toUpperCase() }, ofId({ run })],
  ['last of two rids', id, { rid: ['x', run] }, ofId({ run })],
  ['rid that is no UUID', id, { rid: 'x' }, ofId({ fault: 'badRun' })],
  ['empty rid', id, { rid: '' }, ofId({ fault: 'badRun' })],
  ['exit status over 255 and a bad rid', `${id}/999`, { rid: 'x' }, ofId({ action: 'fail', fault: 'badUrl' })],
  ['create at a UUID', id, { create: '1' }, ofId()],
  ['other parameters', id, { m: 'x', status: 'down' }, ofId()],
  ['ping key and slug', `${key}/${slug}`, {}, ofKey()],
  ['ping key, slug and start', `${key}/${slug}/start`, {}, ofKey({ action: 'start' })],
  ['ping key, slug and exit status', `${key}/${slug}/3`, {}, ofKey({ action: 'fail', exitStatus: 3 })],
  ['ping key, slug and a bad exit status', `${key}/${slug}/256`, {}, ofKey({ action: 'fail', fault: 'badUrl' })],
  ['ping key, slug and an unknown tail', `${key}/${slug}/other`, {}, 'unknown'],
  ['ping key, slug and a slash', `${key}/${slug}/`, {}, 'unknown'],
  ['ping key, slug and two tails', `${key}/${slug}/start/1`, {}, 'unknown'],
  ['ping key alone', key, {}, 'unknown'],
  ['ping key and a slash', `${key}/`, {}, 'unknown'],
  ['slug with an upper-case letter', `${key}/Nightly`, {}, 'badUrl'],
  ['slug with an upper-case letter and an unknown tail', `${key}/Nightly/other`, {}, 'badUrl'],
  ['slug with an upper-case letter of a text that is no ping key', 'x/Nightly', {}, 'badUrl'],
  ['slug that begins with a dash', `${key}/-a`, {}, 'badUrl'],
  ['slug with a dot', `${key}/a.b`, {}, 'badUrl'],
  ['slug of 100 characters', `${key}/${'a'.repeat(100)}`, {}, { ...(ofKey() as SentPing), name: { key, slug: 'a'.repeat(100) } }],
  ['slug of 101 characters', `${key}/${'a'.repeat(101)}`, {}, 'badUrl'],
  ['text that is no ping key', `short/${slug}`, {}, 'unknown'],
  ['create', `${key}/${slug}`, { create: '1' }, ofKey({ mayCreate: true })],
  ['create that is not 1', `${key}/${slug}`, { create: 'true' }, ofKey()],
  ['create and rid', `${key}/${slug}`, { create: '1', rid: run }, ofKey({ mayCreate: true, run })],
]

t.test('path and query of a ping are read by their forms (v3 17.1, 17.2, 17.3)', t => {
  for (const [title, path, query, read] of rows) t.strictSame(readPing(path, query), read, title)
  t.end()
})

t.test('UUID is never read as a ping key, whatever follows it (v3 17.2)', t => {
  for (const rest of ['other', 'Other', 'other/start', 'a.b', 'start/0'])
    t.equal(readPing(`${id}/${rest}`, { create: '1' }), 'unknown', rest)
  t.end()
})

t.test('kept text has no control characters but tab and line feed, and no half character (v3 17.3)', t => {
  const whole: [title: string, bytes: number[] | string, text: string][] = [
    ['plain text', 'a\tb\nc', 'a\tb\nc'],
    ['line ends of Windows', 'a\r\nb', 'a\nb'],
    ['control characters', 'a\u0000b\u001b[31mc\u007f\u0085', 'ab[31mc'],
    ['no UTF-8', [0x61, 0xff, 0xfe, 0x62], 'a\ufffd\ufffdb'],
    ['a character that breaks off', [0x61, 0xe2, 0x82], 'a\ufffd'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['nothing', '', ''],
  ]
  for (const [title, bytes, text] of whole) t.equal(bodyText(Buffer.from(bytes as string), false), text, title)
  t.equal(bodyText(Buffer.from([0x61, 0xe2, 0x82]), true), 'a', 'the rest of a character was not kept')
  t.equal(bodyText(Buffer.from([0x61, 0xff]), true), 'a\ufffd')
  t.end()
})

t.test('push of Uptime Kuma says success, duration and reason (v3 17.9)', t => {
  const token = 'A1b2C3d4E5f6G7h8I9j0'
  const push = { name: { pushToken: token }, ...success, value: null, reason: '' }
  const cases: [title: string, query: SentQuery, read: object][] = [
    ['nothing', {}, {}],
    ['as Uptime Kuma shows it', { status: 'up', msg: 'OK', ping: '' }, { reason: 'OK' }],
    ['empty status', { status: '' }, {}],
    ['down', { status: 'down', msg: 'disk full' }, { action: 'fail', reason: 'disk full' }],
    ['any other status', { status: 'UP' }, { action: 'fail' }],
    ['duration in ms', { ping: '1234.6' }, { value: 1.235 }],
    ['no duration', { ping: '0' }, { value: 0 }],
    ['duration below 0', { ping: '-1' }, {}],
    ['duration that is no number', { ping: '12ms' }, {}],
    ['duration over a year', { ping: '31536000001' }, {}],
    ['several lines', { msg: ' a\nb\u0000 ' }, { reason: 'a b' }],
    ['a credential', { msg: 'see https://me:secret@a.example/' }, { reason: 'see https://a.example/' }],
    ['long reason', { msg: 'x'.repeat(300) }, { reason: `${'x'.repeat(199)}…` }],
  ]
  for (const [title, query, read] of cases) t.strictSame(readPush(token, query), { ...push, ...read }, title)
  for (const strange of ['', 'x'.repeat(19), 'x'.repeat(65), `${token}-`, `${token}/1`])
    t.equal(readPush(strange, {}), null, strange)
  t.end()
})

t.test('UUID at the root of PING_HOST is an address, and all else stays as it is (v3 17.1)', t => {
  const rewrite = pingHostRewrite('ping.example.com', ['10.0.0.0/8'])
  const asked = (url: string, host?: string, remoteAddress = '192.0.2.1', forwarded?: string): string =>
    rewrite({
      url,
      headers: { ...(host === undefined ? {} : { host }), ...(forwarded === undefined ? {} : { 'x-forwarded-host': forwarded }) },
      socket: { remoteAddress },
    } as unknown as IncomingMessage)
  const host = 'ping.example.com'
  for (const rest of ['', '/', '/start', '/3', '?rid=x', '/fail?rid=x'])
    t.equal(asked(`/${id}${rest}`, host), `/ping/${id}${rest}`, rest)
  t.equal(asked(`/${id}`, 'Ping.Example.com.:8443'), `/ping/${id}`, 'case, port and dot of the host do not matter')
  t.equal(asked(`/${id}`, 'inner', '10.1.2.3', host), `/ping/${id}`, 'a trusted proxy states the host')
  t.equal(asked(`/${id}`, 'inner', '192.0.2.1', host), `/${id}`, 'any other client states none')
  for (const [url, named] of [
    [`/${id}`, 'watch.example.com'],
    [`/${id}`, undefined],
    [`/${id}x`, host],
    [`/ping/${id}`, host],
    [`/${key}/${slug}`, host],
    ['/', host],
    ['/monitors', host],
  ] as const)
    t.equal(asked(url, named), url, `${named} ${url}`)
  t.end()
})

t.test('PING_HOST is the name of a host', t => {
  t.equal(parsePingHost(''), null)
  t.equal(parsePingHost('Ping.Example.com'), 'ping.example.com')
  t.equal(parsePingHost('[::1]'), '[::1]')
  for (const strange of ['https://a.example', 'a.example:80', 'a.example/x', '-a', 'a b', 'x'.repeat(254)])
    t.throws(() => parsePingHost(strange), { message: /^must be the name of a host/ }, strange)
  t.end()
})

t.test('queue refuses work beyond its bound at once, and takes work again when some has ended (v3 17.8)', async t => {
  const queue = createPingQueue(2)
  const ends: (() => void)[] = []
  const work = () => new Promise<string>(resolve => ends.push(() => resolve('done')))
  const [first, second] = [queue.run(work), queue.run(work)]
  t.equal(queue.run(work), null)
  t.equal(ends.length, 2, 'refused work is not started')
  ends[0]?.()
  t.equal(await first, 'done')
  const failing = queue.run(() => Promise.reject(new Error('no')))
  await t.rejects(failing as Promise<unknown>, { message: 'no' })
  t.not(queue.run(work), null)
  for (const end of ends) end()
  t.equal(await second, 'done')
})
