// Resolver against a real name server on loopback, which answers each family when the test says so.
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { createResolve, type ResolverOptions } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'

type Answer = string[] | 'unknown name' | 'held'
type Family = 4 | 6

const clock = createSystemClock()
const server = createSocket('udp4')
const zone = new Map<string, Partial<Record<Family, Answer>>>()
const asked: string[] = []
const held: (() => void)[] = []
const families: Readonly<Record<number, Family>> = { 1: 4, 28: 6 }

server.on('message', (question, from) => {
  const { name, family } = read(question)
  asked.push(`${name} ${family}`)
  const answer = zone.get(name)?.[family] ?? []
  if (answer === 'held') held.push(() => reply(question, from, family, zone.get(name)?.[family]))
  else reply(question, from, family, answer)
})
server.bind(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.close())
t.teardown(() => clock.stop())

function read(question: Buffer): { name: string; family: Family } {
  const labels: string[] = []
  let at = 12
  while (question[at] !== 0) {
    const length = question[at] as number
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), family: families[question.readUInt16BE(at + 1)] as Family }
}

function reply(question: Buffer, from: RemoteInfo, family: Family, answer: Answer = []): void {
  const addresses = Array.isArray(answer) ? answer : []
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(answer === 'unknown name' ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt16BE(0, 10)
  const end = question.indexOf(0, 12) + 5
  const records = addresses.map(address => {
    const data = family === 4 ? Buffer.from(address.split('.').map(Number)) : bytesOf6(address)
    const record = Buffer.from([0xc0, 0x0c, 0, family === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length])
    return Buffer.concat([record, data])
  })
  server.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address)
}

/** Bytes of an address such as `2001:db8::1`. */
function bytesOf6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const words = (text: string) => text.split(':').filter(word => word !== '')
  const missing = 8 - words(before).length - words(after).length
  const all = [...words(before), ...Array<string>(missing).fill('0'), ...words(after)]
  return Buffer.from(all.map(word => word.padStart(4, '0')).join(''), 'hex')
}

const resolverOf = (options: Partial<ResolverOptions> = {}) =>
  createResolve({
    clock,
    servers: [`127.0.0.1:${server.address().port}`],
    families: () => [4, 6],
    systemLookup: (_name, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []),
    ...options,
  })

type Call = [code: string | null, addresses: readonly string[], mayFollow: boolean]

/** Resolves with the calls until the last one. */
function callsOf(name: string, options: Partial<ResolverOptions> = {}, heard: (call: Call) => void = () => undefined) {
  return new Promise<Call[]>(finish => {
    const calls: Call[] = []
    resolverOf(options)(name, (error, addresses, mayFollow = false) => {
      const call: Call = [(error as NodeJS.ErrnoException | null)?.code ?? null, addresses, mayFollow]
      calls.push(call)
      heard(call)
      if (!mayFollow) finish(calls)
    })
  })
}

t.test('both families are asked at once, and their addresses come in turn, IPv4 first', async t => {
  zone.set('both.example', { 4: ['192.0.2.1', '192.0.2.2'], 6: ['2001:db8::1'] })
  asked.length = 0
  t.strictSame(await callsOf('both.example'), [[null, ['192.0.2.1', '2001:db8::1', '192.0.2.2'], false]])
  t.strictSame(asked.sort(), ['both.example 4', 'both.example 6'])
})

const one: [name: string, zone: Partial<Record<Family, Answer>>, calls: Call[]][] = [
  ['only-four.example', { 4: ['192.0.2.1'] }, [[null, ['192.0.2.1'], false]]],
  ['only-six.example', { 6: ['2001:db8::1'] }, [[null, ['2001:db8::1'], false]]],
  ['neither.example', {}, [['ENOTFOUND', [], false]]],
  ['unknown.example', { 4: 'unknown name', 6: 'unknown name' }, [['ENOTFOUND', [], false]]],
  ['half.example', { 4: 'unknown name', 6: ['2001:db8::1'] }, [[null, ['2001:db8::1'], false]]],
]
for (const [name, answers, calls] of one) {
  t.test(`${name}: one call`, async t => {
    zone.set(name, answers)
    t.strictSame(await callsOf(name), calls)
  })
}

for (const [late, first] of [
  [6, ['192.0.2.1']],
  [4, ['2001:db8::1']],
] as const) {
  t.test(`addresses of the other family do not wait for a slow IPv${late}, which follows`, async t => {
    const name = `slow-${late}.example`
    zone.set(name, { [late === 4 ? 6 : 4]: first, [late]: 'held' })
    const calls = await callsOf(name, {}, ([, , mayFollow]) => {
      if (!mayFollow) return
      zone.set(name, { [late]: late === 4 ? ['192.0.2.9'] : ['2001:db8::9'] })
      for (const send of held.splice(0)) send()
    })
    t.strictSame(calls, [
      [null, first, true],
      [null, late === 4 ? ['192.0.2.9'] : ['2001:db8::9'], false],
    ])
  })
}

t.test('a family without an address on this machine is asked only if the other has none', async t => {
  zone.set('both.example', { 4: ['192.0.2.1'], 6: ['2001:db8::1'] })
  zone.set('only-six.example', { 6: ['2001:db8::1'] })
  asked.length = 0
  t.strictSame(await callsOf('both.example', { families: () => [4] }), [[null, ['192.0.2.1'], false]])
  t.strictSame(await callsOf('both.example', { families: () => [6] }), [[null, ['2001:db8::1'], false]])
  t.strictSame(asked, ['both.example 4', 'both.example 6'])
  t.strictSame(await callsOf('only-six.example', { families: () => [4] }), [[null, ['2001:db8::1'], false]])
})

t.test('a family that is wanted is asked alone, whatever addresses this machine has; the other only if it has none', async t => {
  zone.set('both.example', { 4: ['192.0.2.1'], 6: ['2001:db8::1'] })
  zone.set('only-four.example', { 4: ['192.0.2.1'] })
  const cases: [name: string, family: Family, found: string[], questions: Family[]][] = [
    ['both.example', 4, ['192.0.2.1'], [4]],
    ['both.example', 6, ['2001:db8::1'], [6]],
    ['only-four.example', 6, ['192.0.2.1'], [6, 4]],
  ]
  for (const [name, family, found, questions] of cases) {
    asked.length = 0
    const resolve = resolverOf({ families: () => [4] })
    t.strictSame(await new Promise(done => resolve(name, (_error, addresses) => done(addresses), family)), found)
    t.strictSame(
      asked,
      questions.map(question => `${name} ${question}`),
    )
  }
})

t.test('who wants a family does not share a question with who wants the other', async t => {
  zone.set('both.example', { 4: ['192.0.2.1'], 6: ['2001:db8::1'] })
  const resolve = resolverOf()
  const found = (family?: Family) => new Promise(done => resolve('both.example', (_error, addresses) => done(addresses), family))
  t.strictSame(await Promise.all([found(), found(4), found(6)]), [['192.0.2.1', '2001:db8::1'], ['192.0.2.1'], ['2001:db8::1']])
})

t.test('several who ask at the same time share a question, and each hears everything', async t => {
  zone.set('shared.example', { 4: ['192.0.2.1'], 6: 'held' })
  const resolve = resolverOf()
  asked.length = 0
  const heard: string[][] = [[], []]
  await Promise.all(
    heard.map(
      list =>
        new Promise<void>(finish =>
          resolve('shared.example', (_error, addresses, mayFollow = false) => {
            list.push(...addresses)
            if (!mayFollow) return finish()
            zone.set('shared.example', { 6: ['2001:db8::1'] })
            for (const send of held.splice(0)) send()
          }),
        ),
    ),
  )
  t.strictSame(heard, [
    ['192.0.2.1', '2001:db8::1'],
    ['192.0.2.1', '2001:db8::1'],
  ])
  t.equal(asked.length, 2)
})

t.test('a caller that comes after the first addresses asks anew, and both hear everything once', async t => {
  zone.set('late.example', { 4: ['192.0.2.1'], 6: 'held' })
  const resolve = resolverOf()
  asked.length = 0
  const heard: string[][] = [[], []]
  const ask = (list: string[], onFirst: () => void) =>
    new Promise<void>(finish =>
      resolve('late.example', (_error, addresses, mayFollow = false) => {
        list.push(...addresses)
        if (mayFollow) onFirst()
        else finish()
      }),
    )
  const [first, second] = heard as [string[], string[]]
  const release = () => {
    zone.set('late.example', { 6: ['2001:db8::1'] })
    for (const send of held.splice(0)) send()
  }
  await new Promise<void>(finish => {
    const both = ask(first, () => void Promise.all([both, ask(second, release)]).then(() => finish()))
  })
  t.strictSame(heard, [
    ['192.0.2.1', '2001:db8::1'],
    ['192.0.2.1', '2001:db8::1'],
  ])
  t.equal(asked.length, 4)
})
