// Attacker with the credentials of one prober: bare sockets that speak NATS, without a client library. Runs as a process: `node attacker.ts
// <host> <port> <credentials file> <seconds> <attack …>`; without a named attack it runs all. Prints `in` when the server first accepts it.
// At the end or on SIGTERM, prints the counts of its messages and of the server's errors as JSON.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fromSeed } from '@nats-io/nkeys'
import { claimsOfCredentials } from '#shared/bus/probers/nats-jwt.ts'

const [host = '', port = '', file = '', seconds = '5', ...chosen] = process.argv.slice(2)
const credentials = readFileSync(file, 'utf8')
const [, jwt = ''] = /BEGIN NATS USER JWT-+\s+(\S+)/.exec(credentials) ?? []
const [seed = ''] = /^SU[A-Z2-7]{56}$/m.exec(credentials) ?? []
const { name: location = '', sub = '' } = claimsOfCredentials(credentials) ?? {}
const inbox = `_INBOX_${sub}.x`
const endsAt = Date.now() + Number(seconds) * 1_000
const counts: Record<string, number> = {}
const count = (what: string, more = 1) => {
  counts[what] = (counts[what] ?? 0) + more
}
let wasIn = false
const noteIn = () => {
  if (!wasIn) process.stdout.write('in\n')
  wasIn = true
}

/** Connects; returns null if the server refuses. `deaf`: the socket reads nothing once it is connected. */
async function enter({ deaf = false, name = 'attacker' } = {}): Promise<Socket | null> {
  const socket = connect({ host, port: Number(port) })
  const { promise, resolve } = Promise.withResolvers<Socket | null>()
  let greeted = false
  socket.on('error', () => resolve(null))
  socket.on('close', () => resolve(null))
  socket.on('data', chunk => {
    const text = chunk.toString('latin1')
    if (!greeted) {
      greeted = true
      const { nonce } = JSON.parse(text.slice(5, text.indexOf('\r\n'))) as { nonce: string }
      const sig = Buffer.from(fromSeed(Buffer.from(seed)).sign(Buffer.from(nonce))).toString('base64url')
      const options = { jwt, sig, name, lang: 'x', version: '1', verbose: false, headers: true, no_responders: true, protocol: 1 }
      socket.write(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`)
    } else if (text.includes('PONG')) {
      if (deaf) socket.pause()
      noteIn()
      resolve(socket)
    } else if (text.includes('PING')) socket.write('PONG\r\n')
    // Omits the subjects that the server quotes, so that an error counts as the same error for every subject.
    if (text.includes('-ERR')) count(/-ERR '([^:'"]*)/.exec(text)?.[1]?.trim() ?? 'error')
  })
  return promise
}

/** Writes the same frames as fast as the server reads, until the time is over. Connects again whenever the server hangs up. */
async function flood(
  what: string,
  frame: string | Buffer,
  times = 200,
  options: Parameters<typeof enter>[0] = {},
): Promise<void> {
  const block = Buffer.concat(Array.from({ length: times }, () => Buffer.from(frame)))
  while (Date.now() < endsAt) {
    const socket = await enter(options)
    if (socket === null) {
      await pause(50)
      continue
    }
    count('connections')
    let isOpen = true
    socket.on('close', () => {
      isOpen = false
    })
    while (isOpen && Date.now() < endsAt) {
      count(what, times)
      if (!socket.write(block)) await Promise.race([new Promise(resolve => socket.once('drain', resolve)), pause(1_000)])
      else await pause(0)
    }
    socket.destroy()
  }
}

const publish = (subject: string, body: string, reply = '') => `PUB ${subject} ${reply} ${Buffer.byteLength(body)}\r\n${body}\r\n`
const withHeaders = (subject: string, headers: Record<string, string>, body: string) => {
  const head = `NATS/1.0\r\n${Object.entries(headers)
    .map(([key, value]) => `${key}: ${value}\r\n`)
    .join('')}\r\n`
  return `HPUB ${subject} ${Buffer.byteLength(head)} ${Buffer.byteLength(head) + Buffer.byteLength(body)}\r\n${head}${body}\r\n`
}
const door = (verb: string) => `door.${location}.${verb}`
const phases = { dnsMs: 1, connectMs: 1, tlsMs: null, firstByteMs: 1, totalMs: 3 }
const result = { rev: 1, slotAt: Date.now(), ageMs: 0, ok: false, error: 'x'.repeat(300), statusCode: null, phases }
const reports = (size: number, of: (n: number) => unknown) =>
  JSON.stringify({ reports: Array.from({ length: size }, (_, n) => of(n)) })
const state = { version: 'x', inFlight: 0, buffered: 0, shed: 0 }
const evil = { stream_name: 'KV_presence', config: { name: 'evil', deliver_subject: 'notify.test', deliver_group: 'notifiers' } }
const inParallel = (times: number, work: () => Promise<void>) => Promise.all(Array.from({ length: times }, work))

const attacks: Record<string, () => Promise<unknown>> = {
  nothing: () => pause(Number(seconds) * 1_000),
  reports: () =>
    flood(
      'reports',
      publish(
        door('report'),
        reports(20, n => [`s${n}`, { ...result, slotAt: n }]),
        inbox,
      ),
      20,
    ),
  'reports of new subjects': async () => {
    let numbered = 0
    const next = () =>
      publish(
        door('report'),
        reports(20, n => [`x${numbered++}`, { ...result, slotAt: n }]),
      )
    const frames = Array.from({ length: 200 }, next).join('')
    await flood('reports of new subjects', frames, 1)
  },
  'small reports': () => inParallel(2, () => flood('small reports', publish(door('report'), '{"reports":[]}'), 5_000)),
  junk: () =>
    flood(
      'junk',
      publish(
        door('report'),
        reports(50, n => ({ junk: n, more: 'x'.repeat(200) })),
        inbox,
      ),
      100,
    ),
  'huge payloads': () => flood('huge payloads', publish(door('report'), 'x'.repeat(16_000)), 100),
  'larger than allowed': () => flood('larger than allowed', publish(door('report'), 'x'.repeat(1_000_000)), 1),
  'checks, unread': () =>
    inParallel(4, () => {
      const ask = publish(door('entries'), '{"of":"checks","after":null}', inbox)
      return flood('checks, unread', `SUB ${inbox} 1\r\n${ask.repeat(50)}`, 1, { deaf: true })
    }),
  beats: async () => {
    let numbered = 0
    const frames = Array.from({ length: 2_000 }, () =>
      publish(door('beat'), JSON.stringify({ proberId: `p${numbered++}`, state })),
    )
    await flood('beats', frames.join(''), 1)
  },
  'strange verbs': () => flood('strange verbs', publish(door('__proto__'), '{}', inbox) + publish(door('*'), '{}'), 500),
  headers: () => {
    const headers = { 'Nats-Rollup': 'all', 'Nats-Trace-Dest': 'cmd.1.x', 'Nats-Schedule': '@every 1s', 'Nats-TTL': '1s' }
    return flood('headers', withHeaders(door('report'), headers, '{"reports":[]}'), 500)
  },
  forbidden: () => {
    const subjects = [
      'obs.1.x.y',
      '$KV.leases.p.1',
      'cmd.1.x',
      'nudge.alert',
      'notify.test',
      'door.xxxx.report',
      '$SYS.REQ.USER.INFO',
    ]
    const create = publish('$JS.API.CONSUMER.CREATE.KV_presence.evil', JSON.stringify(evil), inbox)
    return flood('forbidden', `${create}${subjects.map(subject => publish(subject, '{}', inbox)).join('')}`, 50)
  },
  'long forbidden': () => flood('long forbidden', publish(`cmd.${'x'.repeat(3_900)}`, '{}'), 50),
  subscriptions: async () => {
    let sid = 2
    const frames = Array.from({ length: 2_000 }, () => `SUB _INBOX_${sub}.${sid} ${sid++}\r\n`).join('')
    await flood('subscriptions', `SUB > 1\r\n${frames}`, 1)
  },
  churn: () =>
    inParallel(4, async () => {
      while (Date.now() < endsAt) {
        const socket = await enter()
        socket?.destroy()
        count('churn')
        if (socket === null) await pause(10)
      }
    }),
  'idle connections': async () => {
    const open: (Socket | null)[] = []
    while (Date.now() < endsAt) {
      open.push(await enter())
      count('idle connections')
      await pause(20)
    }
    for (const socket of open) socket?.destroy()
  },
  gibberish: () => flood('gibberish', 'NONSENSE\u0000\r\n'.repeat(10), 10, { name: 'critical write error: ' }),
}

const wanted = chosen.length === 0 ? Object.keys(attacks) : chosen
const end = () => process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0))
process.on('SIGTERM', end)
await Promise.all(wanted.map(name => attacks[name]?.() ?? Promise.reject(new Error(`there is no attack "${name}"`))))
end()
