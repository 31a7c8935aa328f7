// Checks by ping: with sockets that answer as a test says, and with real ones in a network namespace where the kernel permits pings
// (v3 3.19).
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { icmp } from '#shared/checks/icmp/icmp.ts'
import { withoutPing } from '#shared/checks/icmp/judge.ts'
import { createEgress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CheckContext, CheckOutcome } from '../../services/prober/checks/checker.ts'
import { checkPing, createPingChecker } from '../../services/prober/checks/icmp/icmp.ts'
import { CannotPing, type OpenPingSocket } from '../../services/prober/checks/icmp/ping-socket.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'
import { contextWith, countingClock, entryWith, outcomeOf } from './check-context.ts'

/** Time after which the reply to a ping comes, ms; null: none comes. An error: the ping cannot be sent. */
type Reply = number | null | Error

interface Network {
  open: OpenPingSocket
  /** Pings as `address number at ms`. */
  sent: string[]
  /** Number of sockets that are open. */
  sockets(): number
}

/** Returns a network that replies as `reply` says, to the ping of this number at this address. */
function network(clock: VirtualClock, reply: (number: number, address: string) => Reply, refusal?: Error): Network {
  let sockets = 0
  const sent: string[] = []
  const open: OpenPingSocket = async (family, onReply) => {
    if (refusal !== undefined) throw refusal
    sockets++
    return {
      ping: async (address, number, payload) => {
        const after = reply(number, address)
        if (after instanceof Error) throw after
        sent.push(`${address} ${number} at ${clock.monotonic()} ms`)
        if (payload.length !== 16) throw new Error(`payload has ${payload.length} bytes`)
        if (address.includes(':') !== (family === 6)) throw new Error(`${address} by IPv${family}`)
        if (after !== null) clock.schedule(after, () => onReply(payload))
      },
      close: () => void sockets--,
    }
  }
  return { open, sent, sockets: () => sockets }
}

interface Given {
  reply?: (number: number, address: string) => Reply
  refusal?: Error
  resolve?: Resolve
  egress?: CheckContext['egress']
  intervalMs?: number
}

/** Makes a check in virtual time until it ends. */
async function check(answers: Record<string, unknown>, { reply = () => 10, refusal, intervalMs = 60_000, ...given }: Given = {}) {
  const virtual = createVirtualClock()
  const clock = countingClock(virtual)
  const net = network(virtual, reply, refusal)
  const entry = { ...entryWith(icmp, { host: '192.0.2.1', ...answers }), intervalMs }
  const ending = outcomeOf(createPingChecker(net.open), entry, contextWith({ clock, ...given }))
  await virtual.advance(20_000)
  const outcome = await ending
  return { outcome, sent: net.sent, left: clock.timers() + net.sockets() }
}

const unreachable = Object.assign(new Error('no route'), { code: 'ENETUNREACH' })
const lose =
  (...numbers: number[]) =>
  (number: number) =>
    numbers.includes(number) ? null : 10

/** Answers, replies, reason of the failure or null, value, number of pings, duration. */
const cases: [
  title: string,
  answers: Record<string, unknown>,
  reply: (number: number) => Reply,
  error: string | null,
  value: number | null,
  pings: number,
  totalMs: number,
][] = [
  ['the first reply is enough', {}, () => 10, null, 10, 1, 10],
  ['a lost ping is no failure if it may be lost', {}, lose(1), null, 10, 2, 210],
  ['no reply at all', {}, () => null, 'no reply to 3 pings', null, 3, 3_000],
  ['no reply to one', { count: 1 }, () => null, 'no reply to 1 ping', null, 1, 3_000],
  ['every ping must be answered', { max_lost: 0 }, () => 10, null, 10, 3, 410],
  ['the quickest round trip is the value', { max_lost: 0 }, number => 40 - number * 10.004, null, 9.99, 3, 409.99],
  ['one of three must not be lost', { max_lost: 0 }, lose(2), '1 of 3 pings lost', null, 3, 3_000],
  ['two of three are more than one', { max_lost: 1 }, lose(1, 2), '2 of 3 pings lost', null, 3, 3_000],
  ['as many may be lost as are sent, but one', { max_lost: 9 }, lose(1, 2), null, 10, 3, 410],
  ['a late reply counts until the timeout', { count: 1 }, () => 2_999, null, 2_999, 1, 2_999],
  ['a reply after the timeout does not', { count: 1 }, () => 3_001, 'no reply to 1 ping', null, 1, 3_000],
  [
    'a round trip above the bound fails, but has a value',
    { max_ms: 200 },
    () => 310.5,
    'answer took 311 ms, more than 200',
    310.5,
    2,
    310.5,
  ],
  ['a round trip at the bound passes', { max_ms: 200 }, () => 200, null, 200, 1, 200],
  ['ten pings fit a timeout of a second', { count: 10, timeout_seconds: 1, max_lost: 0 }, () => 10, null, 10, 10, 910],
  [
    'later pings that cannot be sent are lost',
    { max_lost: 1 },
    number => (number > 1 ? unreachable : 10),
    '2 of 3 pings lost',
    null,
    1,
    3_000,
  ],
]
for (const [title, answers, reply, error, value, pings, totalMs] of cases) {
  t.test(title, async t => {
    const { outcome, sent, left } = await check(answers, { reply })
    t.match(outcome, { ok: error === null, error, value, statusCode: null, phases: { dnsMs: null, totalMs } })
    t.notOk('cannot' in outcome)
    t.strictSame([sent.length, left], [pings, 0], 'pings; timers and sockets that are left')
  })
}

t.test('pings are 200 ms apart', async t => {
  const { sent } = await check({ max_lost: 0 })
  t.strictSame(sent, ['192.0.2.1 1 at 0 ms', '192.0.2.1 2 at 200 ms', '192.0.2.1 3 at 400 ms'])
})

t.test('a check ends with its interval if that is shorter than its timeout', async t => {
  const { outcome } = await check({ timeout_seconds: 10 }, { reply: () => null, intervalMs: 5_000 })
  t.match(outcome, { error: 'no reply to 3 pings', phases: { totalMs: 5_000 } })
})

t.test('a reply that comes before its ping is known to be sent ends the check, and leaves no timer', async t => {
  const clock = countingClock(createVirtualClock())
  const open: OpenPingSocket = async (_family, onReply) => ({
    ping: async (_address, _number, payload) => onReply(payload),
    close: () => undefined,
  })
  const outcome = await outcomeOf(createPingChecker(open), entryWith(icmp, { host: '192.0.2.1' }), contextWith({ clock }))
  t.match(outcome, { ok: true, value: 0 })
  await new Promise(setImmediate)
  t.equal(clock.timers(), 0)
})

t.test('the same reply twice, and replies to others, count once and never', async t => {
  const virtual = createVirtualClock()
  const open: OpenPingSocket = async (_family, onReply) => ({
    ping: async (_address, number, payload) => {
      onReply(Buffer.alloc(16, number))
      if (number === 1) for (let time = 0; time < 3; time++) onReply(payload)
    },
    close: () => undefined,
  })
  const entry = entryWith(icmp, { host: '192.0.2.1', max_lost: 0 })
  const ending = outcomeOf(createPingChecker(open), entry, contextWith({ clock: virtual }))
  await virtual.advance(3_000)
  t.match(await ending, { ok: false, error: '2 of 3 pings lost' })
})

const both: Resolve = (_name, done) => done(null, ['192.0.2.1', '2001:db8::1'])
const sixLater: Resolve = (_name, done) => {
  done(null, ['192.0.2.1'], true)
  done(null, ['2001:db8::1'])
}
const ofNames: [title: string, answers: Record<string, unknown>, given: Given, expected: object, pinged: string | undefined][] = [
  ['the first address is pinged', {}, { resolve: both }, { ok: true, phases: { dnsMs: 0 } }, '192.0.2.1'],
  ['IPv6 alone', { ip_family: '6' }, { resolve: both }, { ok: true }, '2001:db8::1'],
  ['IPv6 alone, which comes later', { ip_family: '6' }, { resolve: sixLater }, { ok: true }, '2001:db8::1'],
  ['IPv4 alone', { ip_family: '4' }, { resolve: both }, { ok: true }, '192.0.2.1'],
  [
    'no address of the family',
    { ip_family: '6' },
    { resolve: (_name, done) => done(null, ['192.0.2.1']) },
    { ok: false, error: 'host name "shop.example" has no IPv6 address', value: null },
    undefined,
  ],
  [
    'no address of the family, also later',
    { ip_family: '4' },
    { resolve: (_name, done) => [true, false].forEach(more => void done(null, more ? ['2001:db8::1'] : [], more)) },
    { ok: false, error: 'host name "shop.example" has no IPv4 address' },
    undefined,
  ],
  ['an unknown name', {}, {}, { ok: false, error: 'host name "shop.example" not found', value: null }, undefined],
  [
    'name servers that are silent',
    {},
    { resolve: (_name, done) => done(Object.assign(new Error(), { code: 'ETIMEOUT' }), []) },
    { ok: false, error: 'name servers do not answer for "shop.example"' },
    undefined,
  ],
  ['a name that is never resolved', {}, { resolve: () => undefined }, { ok: false, error: 'no answer in 3 s' }, undefined],
  [
    'an address to which this machine cannot send',
    {},
    { resolve: both, reply: (_number, address) => (address.includes(':') ? 10 : unreachable) },
    { ok: true, value: 10 },
    '2001:db8::1',
  ],
  [
    'addresses to which this machine cannot send',
    {},
    { resolve: both, reply: () => unreachable },
    { ok: false, error: 'network is unreachable', value: null },
    undefined,
  ],
  [
    'a closed address beside an open one',
    {},
    { resolve: both, egress: createEgress({ deny: [{ address: '192.0.2.0', prefix: 24, family: 'ipv4' }] }) },
    { ok: true },
    '2001:db8::1',
  ],
  [
    'a machine at whose ports Watchkeeper itself listens',
    {},
    { resolve: (_name, done) => done(null, ['192.0.2.1']), egress: createEgress({ own: { has: () => true } }) },
    { ok: true },
    '192.0.2.1',
  ],
  [
    'a closed address, and an open one later',
    {},
    {
      resolve: (_name, done) => {
        done(null, ['169.254.169.254'], true)
        done(null, ['192.0.2.1'])
      },
    },
    { ok: true },
    '192.0.2.1',
  ],
  [
    'a closed address',
    {},
    { resolve: (_name, done) => done(null, ['169.254.169.254']) },
    { ok: false, error: 'Not checked: EGRESS rules close this address. It is the address of a cloud metadata service.' },
    undefined,
  ],
]
for (const [title, answers, given, expected, pinged] of ofNames) {
  t.test(`host name: ${title}`, async t => {
    const { outcome, sent, left } = await check({ host: 'shop.example', ...answers }, given)
    t.match(outcome, expected)
    t.strictSame([sent[0]?.split(' ')[0], left], [pinged, 0])
  })
}

t.test('host name in another alphabet is resolved in ASCII', async t => {
  const asked: string[] = []
  const resolve: Resolve = (name, done) => {
    asked.push(name)
    done(null, ['192.0.2.1'])
  }
  t.match((await check({ host: 'Bücher.example' }, { resolve })).outcome, { ok: true })
  t.strictSame(asked, ['xn--bcher-kva.example'])
})

t.test('a literal address must be of the family, too', async t => {
  const { outcome } = await check({ host: '192.0.2.1', ip_family: '6' })
  t.match(outcome, { ok: false, error: 'host name "192.0.2.1" has no IPv6 address' })
})

t.test('a prober that may not ping cannot make the check', async t => {
  const { outcome, left } = await check({}, { refusal: new CannotPing(withoutPing.notPermitted) })
  t.match(outcome, { ok: false, cannot: true, error: 'this prober may not ping (net.ipv4.ping_group_range)' })
  t.equal(left, 0)
})

t.test('an abandoned check says nothing, and closes a socket that opens later', async t => {
  const virtual = createVirtualClock()
  const clock = countingClock(virtual)
  const net = network(virtual, () => 10)
  let outcome: CheckOutcome | null = null
  const running = createPingChecker(net.open)(entryWith(icmp, { host: '192.0.2.1' }), contextWith({ clock }), it => {
    outcome = it
  })
  running.start()
  running.abandon()
  await virtual.advance(5_000)
  t.strictSame([outcome, clock.timers(), net.sockets(), net.sent], [null, 0, 0, []])
})

t.test('settings of a check are refused by their bounds and forms', async t => {
  const bad: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ host: 'https://shop.example/' }, /^Field 'host' must be a host name or an IP address of at most 253 characters$/],
    [{ host: '' }, /'host'/],
    [{ count: 11 }, /^Field 'count' must be a whole number, 1 to 10$/],
    [{ max_lost: 10 }, /^Field 'max_lost' must be a whole number, 0 to 9$/],
    [{ ip_family: '5' }, /^Field 'ip_family' must be one of any, 4, 6$/],
    [{ timeout_seconds: 0 }, /^Field 'timeout_seconds' must be a whole number, 1 to 10$/],
  ]
  for (const [fields, message] of bad)
    t.throws(() => entryWith(icmp, { host: 'x', ...fields }), { message }, JSON.stringify(fields))
})

const run = promisify(execFile)
const program = join(import.meta.dirname, 'real-pings.ts')
const range = '/proc/sys/net/ipv4/ping_group_range'
/** Why no namespace can be made here, or false. */
const noNamespace = await run('unshare', ['-n', 'sh', '-c', `ip link set lo up && echo 0 0 > ${range}`]).then(
  () => false as const,
  (error: Error) => `no network namespace with ${range}: ${error.message.split('\n').at(-2)}`,
)

/** Runs the program of real pings in a namespace that is set up by `setUp`. */
async function realPings(setUp: string, ...given: string[]): Promise<Record<string, CheckOutcome>> {
  const script = `ip link set lo up && ${setUp} && exec "$0" "$@"`
  const { stdout } = await run('unshare', ['-n', 'sh', '-c', script, process.execPath, program, ...given], { timeout: 20_000 })
  return JSON.parse(stdout)
}

t.test('real hosts are pinged by IPv4 and IPv6, many at a time', { skip: noNamespace }, async t => {
  const outcomes = await realPings(`echo 0 0 > ${range}`)
  for (const name of ['IPv4', 'IPv6', 'every ping', 'name', 'crowd']) {
    t.match(outcomes[name], { ok: true, error: null, value: Number }, name)
    t.ok((outcomes[name]?.value ?? 0) > 0, name)
  }
  t.ok((outcomes['every ping']?.phases.totalMs ?? 0) >= 400, 'three pings, 200 ms apart')
  t.match(outcomes['no route'], { ok: false, error: 'network is unreachable', value: null })
})

t.test('a real host that is silent fails', { skip: noNamespace }, async t => {
  const outcomes = await realPings(`echo 0 0 > ${range} && echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all`, 'silent')
  t.match(outcomes['silent'], { ok: false, error: 'no reply to 2 pings', value: null })
})

const isClosed = process.platform === 'linux' && readFileSync(range, 'utf8').trim() === '1\t0'
t.test('a kernel that permits nobody to ping is named', { skip: isClosed ? false : `${range} is open` }, async t => {
  const clock = createSystemClock()
  t.teardown(() => clock.stop())
  const outcome = await outcomeOf(checkPing, entryWith(icmp, { host: '127.0.0.1' }), contextWith({ clock }))
  t.match(outcome, { ok: false, cannot: true, error: withoutPing.notPermitted })
})
