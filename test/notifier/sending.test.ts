// Sending a message to its receiver: signatures, content that stays equal over retries, closed ranges of addresses, test messages.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createDirectoryClient, createNotifierClient } from '#shared/bus/clients/clients.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { createEgress, EgressError, egressSettings, permitted } from '#shared/net/egress.ts'
import { createOwnPorts, type OwnPort } from '#shared/net/own-ports.ts'
import { isPublicAddress } from '#shared/net/public-address.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { readSettings, SettingError } from '#shared/settings.ts'
import { StoreError } from '#shared/store/port.ts'
import { ownPorts } from '../../infra/runtime/listeners.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { Lanes } from '../../services/notifier/claim/lanes.ts'
import { redactAddress } from '../../services/notifier/send/redact.ts'
import { createSender } from '../../services/notifier/send/send.ts'
import type { Sender } from '../../services/notifier/send/sender.ts'
import { signatureOf } from '../../services/notifier/send/signature.ts'
import { runCheck } from '../prober/run-check.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { checkEntry } from '../support/checks.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { alert, createHouse, createReceiver, destination, facts, type Hit, messageTo, options, startAt, until } from './house.ts'

const { retryMs, sendMs, testMs, testAnswerMs } = limits.notifier
const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`
const secret = (letter: string, over: Partial<SigningSecret> = {}): SigningSecret => ({
  id: letter,
  secret: secretOf(letter),
  createdAt: 0,
  expiresAt: null,
  ...over,
})

t.test('library of another author verifies a signature with each valid secret', async t => {
  // This library reads the real clock, so the message must be of this minute.
  const madeAt = Math.floor(performance.timeOrigin + performance.now())
  const body = '{"text":"ä 😀 \\u2028"}'
  const header = (secrets: SigningSecret[] | undefined) => signatureOf(secrets, { id: 'msg_1', madeAt, body })
  const verify = (letter: string, signature: string | null, over = {}) =>
    new Webhook(secretOf(letter)).verify(body, {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(madeAt / second)),
      'webhook-signature': signature ?? '',
      ...over,
    })
  t.ok(verify('a', header([secret('a')])))
  const both = header([secret('b'), secret('a', { expiresAt: madeAt + 1 })])
  t.match(both, /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  t.ok(verify('a', both), 'the secret before')
  t.ok(verify('b', both), 'the new one')
  const after = header([secret('b'), secret('a', { expiresAt: madeAt })])
  t.ok(verify('b', after))
  t.throws(() => verify('a', after), 'the grace is over')
  t.throws(() => verify('a', header([secret('a')]), { 'webhook-id': 'msg_2' }), 'another message')
  for (const none of [undefined, [], [secret('a', { expiresAt: 0 })]]) t.equal(header(none), null)
})

t.test('verification code of the guide accepts only signed messages', async t => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'notifications.md'), 'utf8')
  const [, source = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  const { isSigned } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  const signature = signatureOf([secret('b'), secret('a')], { id: 'msg_1', madeAt: startAt, body: '{"ä":1}' })
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(startAt / second), 'webhook-signature': signature }
  const at = (ms: number, over = {}, body = '{"ä":1}', letter = 'a') =>
    isSigned(secretOf(letter), { ...headers, ...over }, body, (startAt + ms) / second)
  t.ok(at(0) && at(0, {}, '{"ä":1}', 'b'))
  t.ok(at(limits.notifier.giveUpMs), 'at the last retry')
  t.notOk(at(4 * hour))
  t.notOk(at(0, {}, '{"ä":2}'))
  t.notOk(at(0, {}, '{"ä":1}', 'c'))
  t.notOk(at(0, { 'webhook-timestamp': '' }))
  t.notOk(at(0, { 'webhook-signature': undefined }))
})

t.test('message stays the same over retries when its destination changes', async t => {
  const house = createHouse()
  const receiver = await createReceiver(call => ({ status: call === 1 ? 503 : 200 }))
  const elsewhere = await createReceiver(() => ({ status: 200 }))
  const told = [alert('one', 'a', 1), alert('one', 'a', 2, { kind: 'recovery' })]
  const there = destination('one', receiver.url, { type: 'slack', channel: 'ops', secrets: [secret('a')] })
  await house.store.insert('alerts', told)
  await house.store.insert('destinations', [there])
  const service = await house.start('n1')
  t.teardown(async () => {
    await house.stop(service)
    await Promise.all([receiver.close(), elsewhere.close()])
  })
  house.nudge(...told.map(({ id }) => id))
  const deliveries = async () => (await house.store.find('deliveries', { limit: 10 })).sort((a, b) => a.number - b.number)
  await until(async () => (await deliveries())[0]?.snapshot.value === 'waiting', 'waiting')
  await until(async () => (await deliveries()).length === 2, 'the recovery is held')
  const held = (await deliveries())[1]
  t.match(JSON.parse(held?.body ?? ''), { channel: '#ops' }, 'frozen when its delivery is made, though it waits')
  await house.store.upsert('destinations', [
    { ...there, rev: 2, name: 'New', channel: 'other', url: elsewhere.url, secrets: [secret('b')] },
  ])
  await house.store.upsert(
    'alerts',
    told.map(one => ({ ...one, rev: 9, facts: { ...facts, subjectName: 'Renamed' } })),
  )
  await house.clock.advance(retryMs)
  await elsewhere.called(2)
  const [first, again, recovery] = [...receiver.hits, ...elsewhere.hits] as [Hit, Hit, Hit]
  t.equal(again.body, first.body)
  for (const name of ['idempotency-key', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type']) {
    t.ok(first.headers[name], name)
    t.equal(again.headers[name], first.headers[name], `${name} is the same`)
  }
  t.equal(recovery.body, held?.body)
  const signed = { id: String(recovery.headers['webhook-id']), madeAt: startAt, body: recovery.body }
  t.equal(recovery.headers['webhook-signature'], signatureOf([secret('a')], signed))
  const rows = await house.store.find('deliveryLog', { limit: 10 })
  t.same(new Set(rows.filter(({ payload }) => payload === first.body).map(({ destinationName }) => destinationName)).size, 2)
  t.notMatch(JSON.stringify([rows, house.log]), /whsec_|T0secretT0/)
})

t.test('response that quotes the address is stored without the address', async t => {
  const address = 'https://user:password1@hooks.example.com:8443/services/T0123ABCD/B%20secret/xYz123TokenTail?key=abcdef12&b=1'
  const leaks = /password1|T0123|T0123ABCD|B%20secret|B secret|xYz123|TokenTail|abcdef12|hooks\.example|dXNlcjpwYXNzd29yZDE/i
  const rows: [string, string][] = [
    ['whole', `no ${address} here`],
    ['percent-encoded once more', `next=${encodeURIComponent(address)}`],
    ['decoded', decodeURIComponent(address)],
    ['as JSON', JSON.stringify({ url: address }).replaceAll('/', '\\/')],
    ['as HTML', `<a href="${address.replaceAll('&', '&amp;')}">`],
    ['in lower case', address.toLowerCase()],
    ['in upper case', address.toUpperCase()],
    ['the path alone', 'POST /services/T0123ABCD/B%20secret/xYz123TokenTail?key=abcdef12'],
    ['a token alone', 'unknown token "xYz123TokenTail"'],
    ['the beginning of a token', 'unknown token xYz123To…'],
    ['the middle of a token', 'unknown token …z123Token…'],
    ['the end of a token', 'unknown token …TokenTail'],
    ['cut off within a token', `${' '.repeat(4_000)} token xYz12`],
    ['its credentials as a header', 'authorization: Basic dXNlcjpwYXNzd29yZDE='],
    ['its host', 'Host: hooks.example.com'],
  ]
  for (const [name, text] of rows) {
    const redacted = redactAddress(text, address)
    t.notMatch(redacted, leaks, name)
    t.match(redacted, /\[redacted\]/, name)
  }
  t.equal(redactAddress('plain words, nothing else', address), 'plain words, nothing else')
  t.ok(redactAddress('x'.repeat(4_096), `https://a.example/${'y'.repeat(2_000)}`).length === 4_096, 'as long as it gets')
})

const blocks = (EGRESS_DENY: string, EGRESS_ALLOW = '') => {
  const settings = readSettings(egressSettings, { EGRESS_DENY, EGRESS_ALLOW })
  return createEgress({ deny: settings.EGRESS_DENY, allow: settings.EGRESS_ALLOW })
}

t.test('address in a closed range is refused in every notation', async t => {
  const metadata = 'the address of a cloud metadata service'
  const linkLocal = 'a link-local address'
  const rows: [string, string | null][] = [
    ['169.254.169.254', metadata],
    ['::ffff:169.254.169.254', metadata],
    ['::ffff:a9fe:a9fe', metadata],
    ['::ffff:0:a9fe:a9fe', metadata],
    ['::a9fe:a9fe', metadata],
    ['64:ff9b::a9fe:a9fe', metadata],
    ['64:ff9b:1::a9fe:a9fe', metadata],
    ['64:ff9b:1:a9fe:a9:fe00:808:808', metadata],
    ['64:ff9b:1:a9:fe:a9fe:808:808', metadata],
    ['64:ff9b:1:0:a9:fea9:fe08:808', metadata],
    ['2002:a9fe:a9fe::1', metadata],
    ['2001:0:102:304:0:0:5601:5601', metadata],
    ['fd00:ec2::254', metadata],
    ['100.100.100.200', metadata],
    ['169.254.0.1', linkLocal],
    ['fe80::1', linkLocal],
    ['fe80::1%eth0', linkLocal],
    ['febf:ffff::1', linkLocal],
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['::', 'an unspecified address'],
    ['224.0.0.1', 'a multicast address'],
    ['ff02::1', 'a multicast address'],
    ['255.255.255.255', 'a broadcast address'],
    ['no address', 'not an address'],
    ['127.0.0.1', null],
    ['::1', null],
    ['10.1.2.3', null],
    ['192.168.0.1', null],
    ['fd12::1', null],
    ['fec0::1', null],
    ['169.255.0.1', null],
    ['8.8.8.8', null],
    ['64:ff9b::808:808', null],
    ['64:ff9b:1::808:808', null],
    ['64:ff9b:1:808:8:800::', null],
    ['2606:4700::1111', null],
  ]
  for (const [address, reason] of rows) t.equal(createEgress().refusal(address, 80), reason, address)
})

t.test('operator can close and open ranges of addresses, and an opened range wins over a closed range', async t => {
  const rows: [string, string, string, boolean][] = [
    ['10.0.0.0/8', '', '10.1.2.3', false],
    ['10.0.0.0/8', '', '::ffff:10.1.2.3', false],
    ['10.0.0.0/8', '', '64:ff9b::a01:203', false],
    ['10.0.0.0/8', '', '11.1.2.3', true],
    ['10.0.0.0/8, fd00::/8', '10.1.0.0/16', '10.1.2.3', true],
    ['10.0.0.0/8, fd00::/8', '10.1.0.0/16', '10.2.2.3', false],
    ['10.0.0.0/8,fd00::/8,', '', 'fd12::1', false],
    ['0.0.0.0/0,::/0', '192.0.2.7', '192.0.2.7', true],
    ['0.0.0.0/0,::/0', '192.0.2.7', '192.0.2.8', false],
    ['127.0.0.0/8', '', '127.0.0.1', false],
    ['', '169.254.0.0/16', '169.254.169.254', true],
    ['', '169.254.0.0/16', '64:ff9b::a9fe:a9fe', true],
    ['', '64:ff9b::/96', '64:ff9b::a9fe:a9fe', true],
    ['10.0.0.0/8', '10.1.0.0/16', '64:ff9b:1:a01:2:300:a02:203', false],
    ['10.0.0.0/8', '10.1.0.0/16', '64:ff9b:1:a01:2:300:808:808', true],
  ]
  for (const [deny, allow, address, open] of rows) {
    t.equal(blocks(deny, allow).refusal(address, 80), open ? null : 'closed by EGRESS_DENY', `${deny} ${allow} ${address}`)
  }
  const disguised = '64:ff9b:1:a00:0:100:a9fe:a9fe'
  t.equal(blocks('', '10.0.0.0/8').refusal(disguised, 80), 'the address of a cloud metadata service', 'one form opens no other')
  for (const bad of [
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '10.0.0.0/',
  ]) {
    const sentence =
      /^EGRESS_DENY must list CIDR blocks such as 10\.0\.0\.0\/8 or fd00::\/8, with commas between them; ".*" is none; it is ".*"\.$/
    t.throws(() => blocks(bad), { constructor: SettingError, message: sentence }, bad)
  }
  const many = Array.from({ length: limits.egress.blocks + 1 }, () => '10.0.0.1').join(',')
  t.throws(() => blocks(many), /EGRESS_DENY may list 1000 blocks/)
  t.same(permitted(blocks(''), ['169.254.0.1', '127.0.0.1'], 80), ['127.0.0.1'], 'of several, what is open is left')
  t.throws(() => permitted(blocks(''), ['169.254.0.1', 'fe80::1'], 80), EgressError)
})

t.test('response that quotes a secret of the message is stored without the secret', async t => {
  const token = 'sk/Lq7 Vn2+Zt9&Rb4'
  const header = encodeURIComponent(token)
  const leaks = /Lq7|Vn2|Zt9|Rb4/i
  const rows: [string, string][] = [
    ['whole', `no ${token} here`],
    ['percent-encoded', `token=${header}`],
    ['as JSON', '{"token":"sk\\/Lq7 Vn2+Zt9&Rb4"}'],
    ['as HTML', '<b>sk/Lq7 Vn2+Zt9&amp;Rb4</b>'],
    ['in upper case', token.toUpperCase()],
    ['the beginning', 'unknown token sk/Lq7 Vn2…'],
    ['the end', 'unknown token …2+Zt9&Rb4'],
    ['cut off', `${' '.repeat(4_000)} token sk/Lq7`],
  ]
  for (const [name, text] of rows) t.notMatch(redactAddress(text, token), leaks, name)
  const receiver = await createReceiver(() => ({ status: 403, body: `no ${token}, no ${header}, only words` }))
  const egress = { ...blocks(''), isPublic: () => true }
  const sender = createSender({ clock: createVirtualClock(startAt), ...options, egress })
  t.teardown(() => Promise.all([sender.close(), receiver.close()]))
  const message = { ...messageTo(receiver.url), headers: { authorization: `Bearer ${header}` }, secrets: [token] }
  const error = 'http_403: the destination answered 403 Forbidden: "no [redacted], no [redacted], only words"'
  t.match(await sender.send(message, new AbortController().signal), { kind: 'refused', error })
})

t.test('only answers of public addresses are quoted (messages 6.3)', async t => {
  const inside = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.0.1', '169.254.0.1', '100.64.0.1', '0.0.0.0', '198.18.0.1', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fd12::1', 'fec0::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:7f00:1::'],
    ...['64:ff9b:1::a00:1', '2001:db8::1', 'ff02::1', 'localhost', ''],
  ]
  for (const address of inside) t.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808', '::ffff:8.8.8.8'])
    t.equal(isPublicAddress(address), true, address)
  const receiver = await createReceiver(() => ({ status: 500, body: 'the secrets of /T0secretT0 at https://u:p@a.test/' }))
  const { port } = new URL(receiver.url)
  const resolve: Resolve = (name, done) => done(null, name === 'mixed.example' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1'])
  const ofWorld = (isPublic: (address: string) => boolean) =>
    createSender({ clock: createVirtualClock(startAt), ...options, resolve, egress: { ...blocks(''), isPublic } })
  const [outside, usual, half] = [ofWorld(() => true), ofWorld(isPublicAddress), ofWorld(address => address === '127.0.0.1')]
  t.teardown(() => Promise.all([outside.close(), usual.close(), half.close(), receiver.close()]))
  const errorOf = async (sender: Sender, host: string) => {
    const outcome = await sender.send(messageTo(`http://${host}:${port}/T0secretT0`), new AbortController().signal)
    return outcome.kind === 'refused' ? outcome.error : outcome.kind
  }
  const status = 'http_500: the destination answered 500 Internal Server Error'
  const quoted = `${status}: "the secrets of [redacted] at https://a.test/"`
  const rows: [sender: Sender, host: string, error: string][] = [
    [outside, 'shop.example', quoted],
    [outside, '127.0.0.1', quoted],
    [usual, 'shop.example', status],
    [usual, '127.0.0.1', status],
    [usual, '[::ffff:127.0.0.1]', status],
    [half, 'shop.example', quoted],
    [half, 'mixed.example', status],
  ]
  for (const [sender, host, error] of rows) t.equal(await errorOf(sender, host), error, host)
  t.equal(receiver.hits.length, rows.length, 'one call for each')
})

t.test('neither message nor check reaches a port of Watchkeeper itself, unless EGRESS_ALLOW names its address', async t => {
  const receiver = await createReceiver(() => ({ status: 200 }))
  const port = Number(new URL(receiver.url).port)
  const clock = createVirtualClock(startAt)
  const asked: string[] = []
  let bus = ['127.0.0.1']
  const resolve: Resolve = (name, done) => {
    asked.push(name)
    done(null, name === 'bus.example' ? bus : ['127.0.0.1'])
  }
  const hosts = ['127.0.0.1', 'localhost', '0.0.0.0', '::', 'bus.example']
  const entry = checkEntry({ contentType: '' })
  const outcomesOf = async (own: OwnPort[], EGRESS_ALLOW: string, host: string) => {
    const ports = createOwnPorts(own, { clock, resolve })
    const allow = readSettings(egressSettings, { EGRESS_ALLOW }).EGRESS_ALLOW
    const egress = createEgress({ allow, own: ports })
    const sender = createSender({ clock, ...options, resolve, egress })
    const url = `http://${host}:${port}/metrics`
    const sent = await sender.send(messageTo(url), new AbortController().signal)
    const check = await runCheck({ ...entry, url }, { clock, resolve, egress, userAgent: 'test' })
    await Promise.all([sender.close(), ports.stop()])
    return [sent, check]
  }
  const error = 'EGRESS rules close this address: it is a port of Watchkeeper itself'
  const sentence = 'Not checked: EGRESS rules close this address. It is a port of Watchkeeper itself.'
  for (const own of hosts)
    for (const host of ['127.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'shop.example'])
      t.match(
        await outcomesOf([{ host: own, port }], '', host),
        [{ error: `not_sent: ${error}` }, { error: sentence }],
        `${own} ${host}`,
      )
  t.equal(receiver.hits.length, 0)
  const open = [{ kind: 'delivered' }, { ok: true }]
  t.match(await outcomesOf([{ host: '127.0.0.1', port }], '127.0.0.1', 'shop.example'), open, 'named by EGRESS_ALLOW')
  t.match(await outcomesOf([{ host: '127.0.0.1', port: port - 1 }], '', 'shop.example'), open, 'another port')
  t.match(await outcomesOf([{ host: '203.0.113.7', port }], '', 'shop.example'), open, 'another address')

  bus = ['203.0.113.8']
  const ports = createOwnPorts([{ host: 'bus.example', port: 4_222 }], { clock, resolve })
  t.strictSame([ports.has('203.0.113.8', 4_222), ports.has('203.0.113.9', 4_222)], [true, false])
  bus = ['203.0.113.9']
  await clock.advance(limits.egress.namesMs)
  t.strictSame([ports.has('203.0.113.8', 4_222), ports.has('203.0.113.9', 4_222)], [false, true], 'the server has moved')
  await ports.stop()
  await receiver.close()
})

t.test('ports of the installation are those of operations, bus and store, as far as the process knows them', async t => {
  const settings = { HOST: '::', MONGODB_URL: 'mongodb://me:p%40ss@m1.example,m2.example:27018/watchkeeper?x=1' }
  const busUrl = 'nats://token@n1.example,tls://[fd00::1]:4223'
  const servers = [
    { host: '::', port: 9_090 },
    { host: 'n1.example', port: 4_222 },
    { host: 'fd00::1', port: 4_223 },
    { host: 'm1.example', port: 27_017 },
    { host: 'm2.example', port: 27_018 },
  ]
  t.strictSame(ownPorts({ settings, opsPort: 9_090, busUrl }), servers)
})

t.test('neither message nor check reaches an address in a closed range by any host name', async t => {
  const receiver = await createReceiver(() => ({ status: 200 }))
  const port = new URL(receiver.url).port
  const answers: Record<string, string[]> = {
    'rebound.example': ['169.254.169.254'],
    'mapped.example': ['::ffff:169.254.169.254', 'fe80::1'],
    'mixed.example': ['fe80::1', '127.0.0.1'],
    'home.example': ['127.0.0.1'],
    'nothing.example': [],
  }
  let asked = 0
  const resolve: Resolve = (name, done) => {
    asked++
    done(null, name === 'localhost' ? ['127.0.0.1', '::1'] : (answers[name] ?? []))
  }
  const clock = createVirtualClock(startAt)
  const sender = (deny: string) => createSender({ clock, ...options, resolve, egress: blocks(deny) })
  const [usual, closed] = [sender(''), sender('127.0.0.0/8,::1')]
  t.teardown(() => Promise.all([usual.close(), closed.close(), receiver.close()]))
  const entry = checkEntry({ contentType: '' })
  const rows: [string, 'usual' | 'closed', string | null][] = [
    ['http://169.254.169.254/secret', 'usual', 'the address of a cloud metadata service'],
    ['http://2852039166/secret', 'usual', 'the address of a cloud metadata service'],
    ['http://0xa9fea9fe/secret', 'usual', 'the address of a cloud metadata service'],
    ['http://0251.0376.0251.0376/secret', 'usual', 'the address of a cloud metadata service'],
    ['http://[::ffff:169.254.169.254]/secret', 'usual', 'the address of a cloud metadata service'],
    ['https://[fe80::1]/secret', 'usual', 'a link-local address'],
    [`http://0.0.0.0:${port}/secret`, 'usual', 'an unspecified address'],
    [`http://rebound.example:${port}/secret`, 'usual', 'the address of a cloud metadata service'],
    [`https://mapped.example:${port}/secret`, 'usual', 'the address of a cloud metadata service'],
    [`http://localhost:${port}/secret`, 'closed', 'closed by EGRESS_DENY'],
    [`http://127.1:${port}/secret`, 'closed', 'closed by EGRESS_DENY'],
    [`http://home.example:${port}/secret`, 'closed', 'closed by EGRESS_DENY'],
    [`http://mixed.example:${port}/secret`, 'usual', null],
    [`http://home.example:${port}/secret`, 'usual', null],
  ]
  for (const [url, guard, reason] of rows) {
    const outcome = await (guard === 'usual' ? usual : closed).send(messageTo(url), new AbortController().signal)
    const egress = blocks(guard === 'usual' ? '' : '127.0.0.0/8,::1')
    const check = await runCheck({ ...entry, url }, { clock, resolve, egress, userAgent: 'test' })
    if (reason === null) {
      t.same(outcome, { kind: 'delivered' }, url)
      t.match(check, { ok: true }, url)
      continue
    }
    const error = `not_sent: EGRESS rules close this address: it is ${reason}`
    t.same(outcome, { kind: 'refused', retryable: false, answered: false, error, retryAfterMs: null }, url)
    t.match(check, { ok: false, error: `Not checked: EGRESS rules close this address. It is ${reason}.`, statusCode: null }, url)
  }
  t.equal(receiver.hits.length, 4, 'nobody else was called')
  answers['home.example'] = ['169.254.169.254']
  // The wait closes idle connections. A new connection resolves the name again, and is checked for its new address.
  const again = createSender({ clock, ...options, resolve, egress: blocks('') })
  t.teardown(() => again.close())
  const before = asked
  t.match(await again.send(messageTo(`http://home.example:${port}/`), new AbortController().signal), {
    kind: 'refused',
  })
  t.equal(asked, before + 1, 'one look-up for the check and the connection')
  const unknown = await again.send(messageTo('http://nothing.example/'), new AbortController().signal)
  t.match(unknown, { retryable: true, error: 'unreachable: its name is not known' })
})

t.test('attempt ends at its time limit or when it is stopped, even before it has a connection', async t => {
  const heard: string[] = []
  const receiver = createServer((request, response) => {
    heard.push(String(request.headers['idempotency-key']))
    response.end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://slow.example:${(receiver.address() as AddressInfo).port}/`
  const lookups: (() => void)[] = []
  const clock = createHandClock(startAt)
  let isAnswered = false
  const resolve: Resolve = (_name, done) => {
    if (isAnswered) done(null, ['127.0.0.1'])
    else lookups.push(() => done(null, ['127.0.0.1']))
  }
  const sender = createSender({ clock, ...options, resolve })
  t.teardown(() => Promise.all([sender.close(), new Promise(closed => receiver.close(closed))]))
  const begun = async () => {
    const before = lookups.length
    while (lookups.length === before) await new Promise(setImmediate)
  }
  const late = sender.send(messageTo(url, 'late'), new AbortController().signal)
  await begun()
  clock.advance(sendMs)
  t.match(await late, { kind: 'refused', retryable: true, error: 'unreachable: no answer within 10 s' })
  const stop = new AbortController()
  const stopped = sender.send(messageTo(url, 'stopped'), stop.signal)
  await begun()
  stop.abort()
  t.strictSame(await stopped, { kind: 'abandoned' })
  const good = sender.send(messageTo(url, 'good'), new AbortController().signal)
  await begun()
  isAnswered = true
  for (const answer of lookups) answer()
  t.strictSame(await good, { kind: 'delivered' })
  t.strictSame(heard, ['good'], 'what was given up is not sent by a connection that comes late')
})

t.test('delivery to an address in a closed range fails at once with the reason', async t => {
  const house = createHouse()
  const told = alert('one', 'a', 1)
  await house.store.insert('alerts', [told])
  await house.store.insert('destinations', [destination('one', 'http://169.254.169.254/latest/hunter2hunter2')])
  const service = await house.start('n1')
  t.teardown(() => house.stop(service))
  house.nudge(told.id)
  await until(async () => (await house.store.count('deliveryLog', {})) === 1, 'the row')
  const error = 'not_sent: EGRESS rules close this address: it is the address of a cloud metadata service'
  t.match(await house.store.find('deliveryLog', { limit: 10 }), [{ status: 'failed', error }])
  t.notMatch(JSON.stringify([await house.store.find('deliveryLog', { limit: 9 }), house.log]), /hunter2|169\.254/)
})

t.test('destinations that do not respond do not use up the concurrent sends of other destinations', async t => {
  const { inFlight, inFlightUnanswered } = limits.notifier
  const lanes = new Lanes(() => 0)
  for (let i = 0; i < inFlight; i++) {
    t.ok(lanes.take(`dead${i}`, `a${i}`) || t.fail('no room'))
    lanes.settle(`a${i}`, 'silent')
    lanes.release(`a${i}`)
    lanes.offer(`dead${i}`, `b${i}`)
  }
  t.equal(lanes.pick().length, inFlightUnanswered, 'no more than their share')
  t.ok(lanes.take('alive', 'c'), 'and who answers has room')
  lanes.settle('b0', 'took')
  t.equal(lanes.pick().length, 1, 'what one gives back another takes')
})

t.test('sending pauses while too many outcomes of attempts wait for the store', async t => {
  const lanes = new Lanes(() => 0)
  for (let i = 0; i < limits.notifier.unwritten; i++) {
    lanes.take('one', `a${i}`)
    lanes.settle(`a${i}`, { busy: true, retryAfterMs: null, isRate: false })
  }
  t.notOk(lanes.take('two', 'b'))
  lanes.release('a0')
  t.ok(lanes.take('two', 'b'))
})

t.test('test message makes one attempt and one row of the log, whatever its outcome', async t => {
  const house = createHouse()
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const receivers = {
    good: await createReceiver(() => ({ status: 204 })),
    bad: await createReceiver((_, { path }) => ({ status: 503, headers: { 'retry-after': '1' }, body: `no\n${path} here` })),
  }
  const closedPort = 'http://127.0.0.1:1/hooks/T0secretT0/B1secretB1?token=hunter2hunter2'
  const { port } = silent.address() as AddressInfo
  await house.store.insert('destinations', [
    destination('good', receivers.good.url, { secrets: [secret('a')], enabled: false }),
    destination('bad', receivers.bad.url, { type: 'slack', channel: 'ops' }),
    destination('dead', closedPort),
    destination('silent', `http://127.0.0.1:${port}/`),
    destination('metadata', 'http://169.254.169.254/'),
  ])
  const services = [await house.start('n1'), await house.start('n2')]
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await Promise.all(Object.values(receivers).map(receiver => receiver.close()))
    silent.closeAllConnections()
    silent.close()
  })
  const client = createNotifierClient(house.connect(), house.clock)
  const test = (destinationId: string) => client.sendTest({ destinationId })
  t.same(await test('good'), { delivered: true })
  const [hit] = receivers.good.hits as [Hit]
  const text = /^Test message\. Nothing is wrong\.\n</
  t.match(JSON.parse(hit.body), { attachments: [{ title: 'Test message', color: '#6b7280', text }], incident: {} })
  const signed = { id: String(hit.headers['webhook-id']), madeAt: startAt, body: hit.body }
  t.equal(hit.headers['webhook-signature'], signatureOf([secret('a')], signed))
  t.equal(hit.headers['idempotency-key'], hit.headers['webhook-id'])

  const refused = 'http_503: the destination answered 503 Service Unavailable'
  t.same(await test('bad'), { delivered: false, error: refused })
  t.same(await test('dead'), { delivered: false, error: 'unreachable: connection refused' })
  t.match(await test('metadata'), { delivered: false, error: /^not_sent: EGRESS rules close this address/ })
  const began = house.clock.now()
  const waiting = test('silent')
  for (let i = 0; i < 30; i++) await house.clock.settle()
  await house.clock.advance(testMs)
  t.same(await waiting, { delivered: false, error: 'unreachable: no answer within 3 s' })
  t.ok(house.clock.now() - began < testAnswerMs, 'before its asker gives up')

  await house.clock.advance(minute)
  t.equal(receivers.bad.hits.length, 1, 'it is not tried again')
  const rows = (await house.store.find('deliveryLog', { limit: 10 })).sort((a, b) => a.number - b.number)
  t.same(
    rows.map(({ destinationId, status, alertKind, incidentId }) => [destinationId, status, alertKind, incidentId]),
    ['good', 'bad', 'dead', 'metadata', 'silent'].map((id, i) => [id, i === 0 ? 'delivered' : 'failed', 'problem', null]),
  )
  t.equal(rows[0]?.payload, hit.body)
  for (const row of rows) t.equal(row.expireAt, row.at + 30 * day, 'kept as long as any other row')
  t.equal(rows[1]?.error, refused)
  t.notMatch(JSON.stringify([rows, house.log]), /secretT0|hunter2|127\.0\.0\.1|whsec_/)
  t.same(await house.store.find('deliveries', { limit: 1 }), [], 'it is no delivery')
  await t.rejects(test('nobody'), { code: 'not_found', message: 'Destination not found' })
  await t.rejects(client.sendTest({ destinationId: '../x' }), { code: 'malformed' })
})

t.test('test message is not sent twice when no notifier responds in time', async t => {
  const house = createHouse()
  const other = house.connect()
  let taken = 0
  await other.subscribe(subjects.testMessage, () => void taken++)
  const client = createNotifierClient(house.connect(), house.clock)
  const asked = t.rejects(client.sendTest({ destinationId: 'one' }), { code: 'unavailable' })
  await house.clock.advance(testAnswerMs)
  await asked
  t.equal(taken, 1)
})

t.test('test message is either refused before sending or reported as sent when the store does not respond', async t => {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const deaf = new Set<string>()
  const store = new Proxy(house.store, {
    get:
      (target, name: keyof typeof house.store) =>
      (collection: string, ...rest: unknown[]) =>
        deaf.has(`${name}:${collection}`)
          ? Promise.reject(new StoreError('unavailable', 'cut off'))
          : (target[name] as (...all: unknown[]) => unknown)(collection, ...rest),
  })
  const service = await house.start('n1', { store })
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  const client = createNotifierClient(house.connect(), house.clock)
  deaf.add('get:destinations')
  const refused = t.rejects(client.sendTest({ destinationId: 'one' }), { code: 'unavailable' })
  await house.clock.advance(testAnswerMs)
  await refused
  t.equal(receiver.hits.length, 0)
  deaf.clear()
  deaf.add('insert:deliveryLog')
  const sent = client.sendTest({ destinationId: 'one' })
  await receiver.called(1)
  await until(async () => {
    await house.clock.advance(10)
    return (await Promise.race([sent, Promise.resolve(null)])) !== null
  }, 'the answer')
  t.same(await sent, { delivered: true })
  t.ok(house.clock.now() < startAt + testAnswerMs + second)
  deaf.clear()
  await house.clock.advance(2 * second)
  t.equal(await house.store.count('deliveryLog', {}), 1, 'its row came later')
})

t.test('secret is created, rotated and removed, returned once, and unchanged by other changes', async t => {
  const store = createMemoryStore()
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  const service = await startDirectory({ bus: hub.connect(), clock, store, logger, metrics: new Registry() })
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const workspaceId = 'workspace1'
  const fields = { workspaceId, name: 'Ops', url: 'https://a.example/x', channel: '', default: false, transformationId: null }
  const { number } = await ask('create-destination', { ...fields, type: 'webhook', id: 'd1' })
  const rotate = (id: string, graceMs = 0, over = {}) =>
    ask('rotate-destination-secret', { workspaceId, number, id, graceMs, ...over }).then(({ secret }) => secret)
  const stored = async () => (await store.get('destinations', ['d1']))[0]?.secrets ?? []
  const kept = async () => (await stored()).map(one => [one.id, one.expiresAt])

  const first = await rotate('r1', hour, { first: true })
  t.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.equal(Buffer.from(first.slice(6), 'base64').length, limits.destination.secretBytes)
  t.equal(await rotate('r1', hour, { first: true }), first, 'a repeated try answers the same')
  await t.rejects(rotate('r2', hour, { first: true }), { code: 'invalid_state', message: 'Destination has a secret' })
  const second = await rotate('r2', hour)
  t.not(second, first)
  t.same(await kept(), [
    ['r2', null],
    ['r1', startAt + hour],
  ])
  await clock.advance(minute)
  await rotate('r3', day)
  const now = startAt + minute
  t.same(
    await kept(),
    [
      ['r3', null],
      ['r2', now + day],
    ],
    'at most two, the newest',
  )
  await ask('update-destination', { ...fields, id: 'd1', name: 'Renamed', url: 'https://b.example/y' })
  t.equal((await stored()).length, 2, 'a change of the destination keeps them')
  const last = await rotate('r4')
  t.same(await kept(), [['r4', null]], 'without a grace the one before signs no more')
  const read = JSON.stringify([
    await ask('list-destinations', { workspaceId }),
    await ask('get-destination', { workspaceId, number }),
  ])
  t.notMatch(read + lines.join(''), /whsec_|secrets/)
  t.ok(last)
  const answered = (id: string, graceMs: number) => ask('rotate-destination-secret', { workspaceId, number, id, graceMs })
  t.match(await answered('a1', hour), { alongUntil: now + hour }, 'the one before signs along')
  t.match(await answered('a1', hour), { alongUntil: now + hour }, 'as a repeated try says again')
  t.match(await answered('a2', 0), { alongUntil: null }, 'not without a grace')
  await ask('delete-destination-secret', { workspaceId, number })
  t.match(await answered('r4', hour), { alongUntil: null }, 'nor where there is none before')
  const wrong = { workspaceId: 'workspace2', number }
  const nobody = { code: 'not_found', message: 'Destination not found' }
  await t.rejects(ask('rotate-destination-secret', { ...wrong, id: 'r5', graceMs: 0 }), nobody)
  await t.rejects(ask('rotate-destination-secret', { workspaceId, number: 99, id: 'r5', graceMs: 0 }), nobody)
  await t.rejects(ask('delete-destination-secret', wrong), nobody)
  await t.rejects(rotate('r5', limits.destination.secretGraceMs + 1), { code: 'validation', message: 'Invalid grace' })
  await t.rejects(rotate('r5', -1), { code: 'malformed' })
  t.same(await kept(), [['r4', null]], 'what is refused changes nothing')
  t.match(await ask('delete-destination-secret', { workspaceId, number }), { removed: true })
  t.match(await ask('delete-destination-secret', { workspaceId, number }), { removed: false })
  t.same(await stored(), [])
})

t.test('pause that a receiver requests is bounded', async t => {
  t.ok(limits.notifier.giveUpMs >= hour, 'at least an hour')
  t.ok(sendMs === 10 * second && testMs === 3 * second)
  t.ok(limits.destination.secretBytes >= 24 && limits.destination.secretBytes <= 64 && limits.destination.secretGraceMs >= day)
})
