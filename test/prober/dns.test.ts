// Checks of names against a real name server on loopback: each type of record, each failure, and no timer or socket left after a check
// (v3 3.18).
import { createSocket, type Socket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { type Answer, decode, TRUNCATED_RESPONSE } from 'dns-packet'
import t from 'tap'
import { dns } from '#shared/checks/dns/dns.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CheckContext, CheckOutcome } from '../../services/prober/checks/checker.ts'
import { checkDns, createDnsChecker } from '../../services/prober/checks/dns/dns.ts'
import { isKnownEntry } from '../../services/prober/checks/registry.ts'
import { createHandClock, type HandClock } from '../support/hand-clock.ts'
import { contextWith, countingClock, entryWith, outcomeOf } from './check-context.ts'
import { type Asked, answerTo, type Sent, startNameServer } from './name-server.ts'

const system = createSystemClock()
const clock = countingClock(system)
t.teardown(() => system.stop())

const name = 'shop.example'
const a = (data: string, of = name): Answer => ({ type: 'A', name: of, data })
const alias = (of: string, data: string): Answer => ({ type: 'CNAME', name: of, data })

/** What the server sends after a question. */
let reply: (asked: Asked) => Sent[] = () => []
const server = await startNameServer(asked => reply(asked))
t.teardown(() => server.stop())

const check = (answers: Record<string, unknown> = {}, given: Partial<CheckContext> = {}): Promise<CheckOutcome> =>
  outcomeOf(checkDns, entryWith(dns, { name, server: server.address, ...answers }), contextWith({ clock, ...given }))

const records = (answers: Answer[], rcode = 'NOERROR') => {
  reply = asked => [{ bytes: answerTo(asked, answers, rcode) }]
}

/** Type of the record, records of the answer, what is expected, fault of an expectation that fails. */
const ofType: [record: string, answers: Answer[], expected: string[], other: string, fault: string][] = [
  ['A', [a('192.0.2.1')], ['192.0.2.1'], '192.0.2.9', 'A is 192.0.2.1, expected 192.0.2.9'],
  [
    'AAAA',
    [{ type: 'AAAA', name, data: '2001:db8:0:0:0:0:0:1' }],
    ['2001:DB8::0:1'],
    '2001:db8::2',
    'AAAA is 2001:db8::1, expected 2001:db8::2',
  ],
  [
    'CAA',
    [{ type: 'CAA', name, data: { flags: 0, tag: 'issue', value: 'ca.example' } }],
    ['0 issue "ca.example"'],
    '0 issue other.example',
    'CAA is 0 issue "ca.example", expected 0 issue "other.example"',
  ],
  ['CNAME', [alias(name, 'Front.example')], ['front.EXAMPLE.'], 'b.example', 'CNAME is front.example, expected b.example'],
  [
    'MX',
    [{ type: 'MX', name, data: { preference: 10, exchange: 'Mail.example' } }],
    ['10  mail.example.'],
    '20 mail.example',
    'MX is 10 mail.example, expected 20 mail.example',
  ],
  ['NS', [{ type: 'NS', name, data: 'NS1.example' }], ['ns1.example'], 'ns2.example', 'NS is ns1.example, expected ns2.example'],
  [
    'PTR',
    [{ type: 'PTR', name, data: 'host.example' }],
    ['host.example.'],
    'x.example',
    'PTR is host.example, expected x.example',
  ],
  [
    'SOA',
    [{ type: 'SOA', name, data: { mname: 'ns1.example', rname: 'x.y.example', serial: 2_026_112_900 } }],
    ['ns1.example. 2026112900'],
    'ns1.example 1',
    'SOA is ns1.example 2026112900, expected ns1.example 1',
  ],
  [
    'SRV',
    [{ type: 'SRV', name, data: { priority: 0, weight: 5, port: 443, target: 'Host.example' } }],
    ['0 5 443 host.example'],
    '0 5 80 host.example',
    'SRV is 0 5 443 host.example, expected 0 5 80 host.example',
  ],
  ['TXT', [{ type: 'TXT', name, data: ['v=spf1 ', '-All'] }], ['v=spf1 -All'], 'v=spf1', 'TXT is v=spf1 -All, expected v=spf1'],
]

for (const [record, answers, expected, other, fault] of ofType) {
  t.test(`${record} record is compared in one form`, async t => {
    records(answers)
    const passed = await check({ record, expected })
    t.match(passed, { ok: true, error: null, statusCode: null, phases: { dnsMs: null, connectMs: null, totalMs: Number } })
    t.notOk('value' in passed, 'the total time is the value')
    t.match(await check({ record, expected: [other] }), { ok: false, error: fault, value: null })
    t.equal((await check({ record: record === 'A' ? 'TXT' : 'A' })).error, record === 'A' ? 'no TXT record' : 'no A record')
    t.equal(clock.timers(), 0)
  })
}

/** What makes the answer, the answers to the check's fields, and the reason of its failure; null: it passes. */
const cases: [title: string, answers: Answer[] | string, fields: Record<string, unknown>, error: string | null][] = [
  ['any record passes without expected ones', [a('192.0.2.1')], {}, null],
  ['an answer without records fails', [], {}, 'no A record'],
  ['records of another name do not count', [a('192.0.2.1', 'other.example')], {}, 'no A record'],
  ['the name of an answer may have upper case', [a('192.0.2.1', 'SHOP.Example')], {}, null],
  ['a name server that fails is named by its code', 'SERVFAIL', {}, 'server answered SERVFAIL'],
  ['a name server that refuses is named by its code', 'REFUSED', {}, 'server answered REFUSED'],
  ['an unknown name fails', 'NXDOMAIN', {}, 'name does not exist'],
  ['an unknown name passes if it is expected', 'NXDOMAIN', { rcode: 'NXDOMAIN', expected: ['192.0.2.1'] }, null],
  ['a name that must not exist fails', [a('192.0.2.1')], { rcode: 'NXDOMAIN' }, 'server answered NOERROR, expected NXDOMAIN'],
  [
    'all expected records must be there',
    [a('192.0.2.1')],
    { expected: ['192.0.2.1', '192.0.2.2'] },
    'A is 192.0.2.1, expected 192.0.2.1 and 192.0.2.2',
  ],
  ['further records are no fault', [a('192.0.2.1'), a('192.0.2.2')], { expected: ['192.0.2.2'] }, null],
  [
    'one of the expected records is enough with `any`',
    [a('192.0.2.1')],
    { match: 'any', expected: ['192.0.2.3', '192.0.2.1'] },
    null,
  ],
  [
    'none of the expected records fails with `any`',
    [a('192.0.2.1')],
    { match: 'any', expected: ['192.0.2.3', '192.0.2.4'] },
    'A is 192.0.2.1, expected 192.0.2.3 or 192.0.2.4',
  ],
  [
    'further records fail with `exact`',
    [a('192.0.2.1'), a('192.0.2.2')],
    { match: 'exact', expected: ['192.0.2.2'] },
    'A is 192.0.2.1 and 192.0.2.2, expected only 192.0.2.2',
  ],
  [
    'the order of records is no fault with `exact`',
    [a('192.0.2.1'), a('192.0.2.2')],
    { match: 'exact', expected: ['192.0.2.2', '192.0.2.1'] },
    null,
  ],
  [
    'a chain of CNAMEs is followed, whatever its order',
    [a('192.0.2.1', 'c.example'), alias('B.example', 'C.example'), alias(name, 'b.example')],
    { expected: ['192.0.2.1'] },
    null,
  ],
  ['a chain that ends outside of the answer has no record', [alias(name, 'b.example')], {}, 'no A record'],
  ['a circle of CNAMEs has no record', [alias(name, 'b.example'), alias('b.example', name)], {}, 'no A record'],
  ['64 records are read', Array.from({ length: 64 }, (_, i) => a(`192.0.2.${i}`)), { expected: ['192.0.2.63'] }, null],
  ['65 records are not', Array.from({ length: 65 }, (_, i) => a(`192.0.2.${i}`)), {}, 'answer cannot be read'],
  [
    'text of an answer is cut and has no control characters',
    [{ type: 'TXT', name, data: `a\n\u0007${'b'.repeat(100)}` }],
    { record: 'TXT', expected: ['c'] },
    `TXT is a ${'b'.repeat(56)}…, expected c`,
  ],
]
for (const [title, given, fields, error] of cases) {
  t.test(title, async t => {
    if (typeof given === 'string') records([], given)
    else records(given)
    const { ok, error: found, value } = await check(fields)
    t.strictSame([ok, found, typeof value], [error === null, error, error === null ? 'undefined' : 'object'])
    t.equal(clock.timers(), 0)
  })
}

/** Bytes of the question in a message: a pointer to its name is at offset 12. */
const pointerLoop = Buffer.from([0xc0, 0x2d, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])

/** Returns an answer with another number of records in its header than it has, and with further bytes. */
function lying(asked: Asked, count: number, further = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.concat([answerTo(asked, []), further])
  bytes.writeUInt16BE(count, 6)
  return bytes
}

const unreadable: [title: string, bytes: (asked: Asked) => Buffer][] = [
  ['a name that points at itself', asked => lying(asked, 1, pointerLoop)],
  ['fewer records than it says', asked => lying(asked, 3)],
  ['a record that ends early', asked => answerTo(asked, [a('192.0.2.1')]).subarray(0, -2)],
]
for (const [title, bytes] of unreadable) {
  t.test(`an answer with ${title} cannot be read`, async t => {
    reply = asked => [{ bytes: bytes(asked) }]
    t.match(await check(), { ok: false, error: 'answer cannot be read', value: null })
  })
}

const right = (asked: Asked): Sent => ({ bytes: answerTo(asked, [a('192.0.2.1')]) })
const wrong = (asked: Asked, packet: Partial<Asked['packet']>, answers = [a('192.0.2.9')]): Buffer =>
  answerTo({ ...asked, packet: { ...asked.packet, ...packet } }, answers)

const ignored: [title: string, sent: (asked: Asked) => Sent][] = [
  ['with another id', asked => ({ bytes: wrong(asked, { id: ((asked.packet.id ?? 0) + 1) % 0x1_0000 }) })],
  ['from another port', asked => ({ bytes: wrong(asked, {}), from: 'stranger' })],
  ['to a question about another name', asked => ({ bytes: wrong(asked, { questions: [{ type: 'A', name: 'shop.example2' }] }) })],
  ['to a question about another type', asked => ({ bytes: wrong(asked, { questions: [{ type: 'NS', name }] }) })],
  ['without the question', asked => ({ bytes: wrong(asked, { questions: [] }) })],
  ['of more than 4 KiB', asked => ({ bytes: wrong(asked, {}, [{ type: 'TXT', name, data: Array(20).fill('x'.repeat(250)) }]) })],
  ['that is a question itself', asked => ({ bytes: question(asked) })],
  ['of a few bytes', () => ({ bytes: Buffer.from([1, 2, 3]) })],
]
const question = (asked: Asked): Buffer => {
  const bytes = wrong(asked, {})
  bytes.writeUInt8(bytes.readUInt8(2) & 0x7f, 2)
  return bytes
}
for (const [title, sent] of ignored) {
  t.test(`an answer ${title} does not count, and the right one after it does`, async t => {
    reply = asked => [sent(asked), right(asked)]
    t.match(await check({ match: 'exact', expected: ['192.0.2.1'] }), { ok: true, error: null })
  })
}

/** Starts a check whose time only the test moves. */
function start(answers: Record<string, unknown>, hand: HandClock, intervalMs = 300_000) {
  const counting = countingClock(hand)
  const entry = {
    ...entryWith(dns, { name, server: server.address, ...answers }),
    intervalMs,
  }
  let abandon = () => {}
  const outcome = new Promise<CheckOutcome>(done => {
    const running = checkDns(entry, contextWith({ clock: counting }), done)
    abandon = () => running.abandon()
    running.start()
  })
  return { outcome, timers: counting.timers, abandon: () => abandon() }
}

t.test('a silent server is asked once more after half of the time, and then the check ends', async t => {
  reply = () => []
  const hand = createHandClock()
  const first = server.next()
  const { outcome, timers } = start({ timeout_seconds: 4 }, hand)
  const asked = await first
  t.match(asked, { over: 'udp', packet: { flag_rd: true, questions: [{ name, type: 'A', class: 'IN' }] } })
  const second = server.next()
  hand.advance(2_000)
  t.equal((await second).packet.id, asked.packet.id)
  hand.advance(2_000)
  const error = `no answer from ${server.address} in 4 s`
  t.match(await outcome, { ok: false, error, value: null, phases: { totalMs: 4_000 } })
  t.equal(timers(), 0)
})

t.test('an answer to the second question counts', async t => {
  let questions = 0
  reply = asked => (++questions === 2 ? [right(asked)] : [])
  const hand = createHandClock()
  const first = server.next()
  const { outcome } = start({}, hand)
  await first
  hand.advance(2_500)
  t.match(await outcome, { ok: true, phases: { totalMs: 2_500 } })
})

t.test('a check ends with its interval if that is shorter than its timeout', async t => {
  reply = () => []
  const hand = createHandClock()
  const first = server.next()
  const { outcome } = start({ timeout_seconds: 30 }, hand, 10_000)
  await first
  hand.advance(10_000)
  t.equal((await outcome).error, `no answer from ${server.address} in 10 s`)
})

t.test('an answer that takes longer than the bound fails, but has a value', async t => {
  const hand = createHandClock()
  const slowName = 'slow.example'
  reply = asked => {
    // A late question of the test before is another name's.
    if (asked.packet.questions?.[0]?.name !== slowName) return []
    hand.advance(2_310)
    return [{ bytes: answerTo(asked, [a('192.0.2.1', slowName)]) }]
  }
  const of = (answers: Record<string, unknown>) => start({ name: slowName, ...answers }, hand).outcome
  const slow = await of({ max_ms: 2_000 })
  t.match(slow, { ok: false, error: 'answer took 2310 ms, more than 2000', phases: { totalMs: 2_310 } })
  t.notOk('value' in slow)
  t.match(await of({ max_ms: 2_310 }), { ok: true })
  t.match(await of({ max_ms: 2_000, expected: ['192.0.2.9'] }), { error: /^A is/, value: null }, 'first what is wrong')
})

/** Answers by UDP that the whole answer is longer, and by TCP with these bytes. */
const truncated = (bytes: (asked: Asked) => Buffer) => {
  reply = asked =>
    asked.over === 'udp' ? [{ bytes: answerTo(asked, [], 'NOERROR', TRUNCATED_RESPONSE) }] : [{ bytes: bytes(asked) }]
}
const many = Array.from({ length: 60 }, (_, i) => a(`192.0.2.${i}`))

t.test('a truncated answer is asked for again by TCP', async t => {
  truncated(asked => answerTo(asked, many))
  t.match(await check({ expected: ['192.0.2.59'] }), { ok: true })
  truncated(asked => answerTo(asked, many, 'SERVFAIL'))
  t.match(await check(), { error: 'server answered SERVFAIL' })
  t.equal(clock.timers(), 0)
})

t.test('an answer by TCP must fit the question and the bound', async t => {
  truncated(asked => wrong(asked, { id: ((asked.packet.id ?? 0) + 1) % 0x1_0000 }))
  t.match(await check(), { error: 'answer cannot be read' })
  truncated(asked => wrong(asked, {}, [{ type: 'TXT', name, data: Array(20).fill('x'.repeat(250)) }]))
  t.match(await check(), { error: 'answer cannot be read' })
  t.equal(clock.timers(), 0)
})

t.test('a server that says nothing by TCP is not asked again', async t => {
  const asked: string[] = []
  reply = ({ packet, over }) => {
    asked.push(over)
    return over === 'udp' ? [{ bytes: answerTo({ packet, over }, [], 'NOERROR', TRUNCATED_RESPONSE) }] : []
  }
  const hand = createHandClock()
  const byTcp = (async () => {
    while ((await server.next()).over !== 'tcp');
  })()
  const { outcome, timers } = start({ timeout_seconds: 30 }, hand)
  await byTcp
  hand.advance(29_999)
  t.equal(timers(), 1, 'the bound of connecting is over, too')
  hand.advance(1)
  t.match(await outcome, { error: `no answer from ${server.address} in 30 s`, phases: { totalMs: 30_000 } })
  t.equal(timers(), 0)
  const further = asked.length
  reply = ({ packet, over }) => {
    asked.push(String(packet.questions?.[0]?.name))
    return [{ bytes: answerTo({ packet, over }, [a('192.0.2.1', 'last.example')]) }]
  }
  await check({ name: 'last.example' })
  t.strictSame(asked.slice(further), ['last.example'], 'questions arrive in the order in which they are sent')
})

t.test('the first name server of the prober is asked if none is named, whatever the EGRESS rules close', async t => {
  records([a('192.0.2.1')])
  const egress = createEgress({ deny: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] })
  const ownServer = createDnsChecker(() => [server.address, '192.0.2.53'])
  const context = contextWith({ clock, egress })
  t.match(await outcomeOf(ownServer, entryWith(dns, { name }), context), { ok: true })
  truncated(asked => answerTo(asked, many))
  t.match(await outcomeOf(ownServer, entryWith(dns, { name }), context), { ok: true }, 'by TCP, too')
  const closed = 'Not checked: EGRESS rules close this address. It is closed by EGRESS_DENY.'
  t.match(await check({}, { egress }), { ok: false, error: closed, value: null })
  t.match(await check({ server: '169.254.169.254' }), { error: /^Not checked: EGRESS rules close this address/ })
})

t.test('a prober without name servers cannot make the check', async t => {
  const outcome = await outcomeOf(
    createDnsChecker(() => []),
    entryWith(dns, { name }),
    contextWith({ clock }),
  )
  t.match(outcome, { ok: false, cannot: true, error: 'the prober knows no name server' })
  t.equal(clock.timers(), 0)
})

t.test('a port at which nothing listens refuses the question, also by TCP', async t => {
  const udp = createSocket('udp4')
  await new Promise<void>(resolve => udp.bind(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${udp.address().port}`
  udp.on('message', (message, from) => {
    const asked: Asked = { packet: decode(message), over: 'udp' }
    udp.send(answerTo(asked, [], 'NOERROR', TRUNCATED_RESPONSE), from.port, from.address)
  })
  t.match(await check({ server: address }), { error: 'connection refused', value: null }, 'by TCP')
  await new Promise<void>(resolve => udp.close(resolve))
  t.match(await check({ server: address }), { error: 'connection refused', value: null }, 'by UDP')
  t.equal(clock.timers(), 0)
})

t.test('a server that closes the connection fails the check', async t => {
  const udpAndHangUp = await startNameServer(asked => [{ bytes: answerTo(asked, [], 'NOERROR', TRUNCATED_RESPONSE) }], {
    hangsUp: true,
  })
  t.teardown(() => udpAndHangUp.stop())
  t.match(await check({ server: udpAndHangUp.address }), { error: 'connection closed without an answer' })
})

const hasIPv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))
t.test('a name server is asked by IPv6, too', { skip: hasIPv6 ? false : 'no IPv6 on loopback' }, async t => {
  const overIPv6 = await startNameServer(asked => reply(asked), { host: '::1' })
  t.teardown(() => overIPv6.stop())
  records([a('192.0.2.1')])
  t.match(await check({ server: overIPv6.address }), { ok: true })
  truncated(asked => answerTo(asked, many))
  t.match(await check({ server: overIPv6.address }), { ok: true }, 'by TCP')
  reply = () => []
  const hand = createHandClock()
  const first = overIPv6.next()
  const { outcome } = start({ server: overIPv6.address }, hand)
  await first
  hand.advance(5_000)
  t.equal((await outcome).error, `no answer from ${overIPv6.address} in 5 s`)
})

t.test('a prober knows the entries of its checks', async t => {
  const entry = JSON.parse(JSON.stringify(entryWith(dns, { name })))
  t.match(entry, { kind: dns.key, intervalMs: 300_000, options: { name, record: 'A', timeout_seconds: 5 } })
  t.ok(isKnownEntry(entry))
  t.notOk(isKnownEntry({ ...entry, options: { ...entry.options, record: 'ANY' } }))
})

t.test('a name in another alphabet is asked for in ASCII', async t => {
  records([a('192.0.2.1', 'xn--bcher-kva.example')])
  const asked = server.next()
  t.match(await check({ name: 'Bücher.example.' }), { ok: true })
  t.match((await asked).packet.questions, [{ name: 'xn--bcher-kva.example' }])
})

t.test('an abandoned check says nothing, and leaves no timer and no socket', async t => {
  const sockets: Socket[] = []
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('udp.socket', note)
  reply = () => []
  const first = server.next()
  const { outcome, timers, abandon } = start({}, createHandClock())
  unsubscribe('udp.socket', note)
  await first
  t.equal(sockets.length, 1)
  const closed = Promise.all(sockets.map(socket => once(socket, 'close')))
  abandon()
  await closed
  t.equal(timers(), 0)
  const nothing = new Promise<null>(resolve => setImmediate(() => resolve(null)))
  t.equal(await Promise.race([outcome, nothing]), null)
})

t.test('a check that is tried says the records, also if they are not the expected ones (v3 6.10)', async t => {
  records([{ type: 'A', name, data: '192.0.2.1' }])
  t.match(await check({ expected: ['192.0.2.2'] }, { isTried: true }), {
    ok: false,
    details: { records: ['192.0.2.1'], hops: [] },
  })
  t.match(await check({}, { isTried: true }), { ok: true, details: { records: ['192.0.2.1'], certificate: null } })
  t.equal((await check()).details, undefined)
})

t.test('settings of a check are refused by their bounds and forms', async t => {
  const bad: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ name: 'a b' }, /^Field 'name' must be a domain name of at most 253 characters$/],
    [{ name: `${'x'.repeat(64)}.example` }, /^Field 'name' must be/],
    [{ name: '' }, /'name'/],
    [{ name: 'https://shop.example/' }, /'name'/],
    [{ server: 'ns1.example' }, /^Field 'server' must be an IP address, with or without a port, such as/],
    [{ server: '192.0.2.1:0' }, /'server'/],
    [{ server: '2001:db8::1:53x' }, /'server'/],
    [{ record: 'ANY' }, /^Field 'record' must be one of A, AAAA, CAA, CNAME, MX, NS, PTR, SOA, SRV, TXT$/],
    [{ rcode: 'SERVFAIL' }, /'rcode' must be one of NOERROR, NXDOMAIN/],
    [{ expected: Array(17).fill('192.0.2.1') }, /^Field 'expected' must hold 0 to 16 texts of at most 1024 characters$/],
    [{ max_ms: 0 }, /^Field 'max_ms' must be a whole number, 1 to 60000$/],
    [{ timeout_seconds: 31 }, /^Field 'timeout_seconds' must be a whole number, 1 to 30$/],
  ]
  for (const [fields, message] of bad) t.throws(() => entryWith(dns, { name, ...fields }), { message }, JSON.stringify(fields))
  for (const good of ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:53', '']) {
    t.doesNotThrow(() => entryWith(dns, { name, server: good }), good)
  }
  for (const good of ['_dmarc.shop.example', '*.shop.example', 'org', 'shop.example.', '1.2.0.192.in-addr.arpa']) {
    t.doesNotThrow(() => entryWith(dns, { name: good }), good)
  }
})
