// Any request to any route of routes.ts gets HTTP 200 in the envelope and never an internal error. A refusal stores nothing. The requests
// are generated from a printed seed, and SEED=… repeats a run. fast-check shrinks and prints a failing case.
import { Agent, request } from 'node:http'
import fc from 'fast-check'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { type ApiWorld, startApiWorld } from '../support/worlds/api-world.ts'
import { freshThings, pathOf, type Route, routes, secretMark, type Things } from './routes.ts'

const seed = Number(process.env['SEED'] ?? 20_260_704)
/** Number of generated requests, divided among all routes; the default takes some seconds. */
const cases = Number(process.env['CASES'] ?? 4_000)

const home = 'home000000'
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
let world: ApiWorld
const tokens: Record<string, string> = {}

t.before(async () => {
  world = await startApiWorld()
  tokens['owner'] = (await world.addPerson('owner', { [home]: 'owner' })).token
  tokens['viewer'] = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  tokens['stranger'] = (await world.addPerson('stranger', { foreign000: 'owner' })).token
  await world.store.insert('locations', [{ id: 'aaaa', rev: 1, name: 'de', displayName: null, createdAt: world.clock.now() }])
})
t.teardown(async () => {
  agent.destroy()
  await world.stop()
})

/** A route that reads a body gets three times as many requests as a route that reads none. */
const shareOf = (route: Route): number => (route.body ? 3 : 1)
const shares = routes.reduce((sum, route) => sum + shareOf(route), 0)
const runsOf = (route: Route): number => Math.ceil((cases * shareOf(route)) / shares)

interface Sent {
  method: string
  path: string
  token: string | null
  contentType: string | null
  body: Buffer | null
}

interface Received {
  status: number
  text: string
}

/** Sends the request unchanged: no HTTP client repairs a path or a body. */
const send = ({ method, path, token, contentType, body }: Sent): Promise<Received> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(contentType === null ? {} : { 'content-type': contentType }),
      ...(body === null ? {} : { 'content-length': body.length }),
    }
    const { port } = new URL(world.address)
    const sending = request({ host: '127.0.0.1', port, method, path, headers, agent }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    sending.on('error', reject)
    sending.end(body ?? undefined)
  })

const oddTexts = [
  '',
  ' ',
  '.',
  '..',
  '%2F',
  '%2f..%2F',
  '%00',
  '%',
  '%zz',
  '%c3%28',
  '%ed%a0%80',
  '*',
  ':id',
  '~',
  '"',
  '[]',
  '__proto__',
]
const segment = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'binary', maxLength: 40 }).map(encodeURIComponent),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map(encodeURIComponent),
  fc.stringMatching(/^[%./\\0-9a-z]{1,9}$/).map(encodeURIComponent),
  fc.stringMatching(/^[%0-9a-fA-F]{1,9}$/),
  fc.stringMatching(/^[0-9A-Za-z]{10}$/),
  fc.integer({ min: 100, max: 6_000 }).map(length => 'x'.repeat(length)),
)

const oddValues: unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  true,
  [],
  {},
  [[]],
  '\ud800',
  '\u0000',
  '\u202e',
  'x'.repeat(70_000),
]
const value = fc.oneof(
  fc.constantFrom(...oddValues),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.integer({ min: 90, max: 5_000 }).map(length => '😀'.repeat(length)),
  fc.array(fc.constant('de'), { minLength: 60, maxLength: 70 }),
)
const change = fc.record({
  at: fc.nat({ max: 50 }),
  how: fc.constantFrom('replace', 'twist', 'twist', 'twist', 'remove', 'add'),
  key: fc.string({ maxLength: 12 }),
  value,
})
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
/** Body of the request; `changes` are applied to a body that the route accepts. */
const body = fc.oneof(
  { weight: 20, arbitrary: fc.record({ changes: fc.array(change, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.jsonValue().map(json => ({ text: JSON.stringify(json) })) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => ({ bytes })) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }).map(text => ({ text })) },
  { weight: 1, arbitrary: fc.constantFrom(100, 20_000, 400_000).map(depth => ({ deep: depth })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ text: '' }, { text: '{broken' }, { text: ' '.repeat(limits.http.bodyBytes + 1) }, null),
  },
)

const anyCase = fc.record({
  token: fc.oneof(
    { weight: 12, arbitrary: fc.constant('owner') },
    { weight: 1, arbitrary: fc.constantFrom('viewer', 'stranger', 'nobody') },
  ),
  /** Value for each parameter of the path in turn; null: the id of the real object. */
  nouns: fc.array(fc.option(segment, { freq: 2, nil: null }), { minLength: 4, maxLength: 4 }),
  query: fc.option(fc.string({ maxLength: 30 }).map(encodeURI), { freq: 4, nil: '' }),
  contentType: fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('application/json; charset=utf-8', 'text/plain', ';', null) },
  ),
  body,
})
type Case = typeof anyCase extends fc.Arbitrary<infer C> ? C : never

for (const route of routes) {
  t.test(`${route.method} ${route.path}`, async t => {
    const property = fc.asyncProperty(anyCase, async made => {
      const things = await freshThings(world, home)
      const before = await world.dump()
      const received = await send(sentOf(route, things, made))
      const refused = envelopeOf(received)
      if (refused !== null && (await world.dump()) !== before) throw new Error(`${refused}, and something was stored`)
    })
    const outcome = await fc.check(property, { seed, numRuns: runsOf(route), endOnFailure: false })
    t.equal(outcome.failed, false, outcome.failed ? `seed ${seed}: ${fc.defaultReportMessage(outcome)}` : `seed ${seed}`)
  })
}

t.test('generated requests make neither gateway nor directory log an error or a secret', async t => {
  const spoken = world.logged.filter(line => secrets().some(secret => line.includes(secret)))
  t.strictSame(spoken, [])
  t.strictSame(
    world.logged.filter(line => JSON.parse(line).level >= 50),
    [],
  )
})

const secrets = () => [secretMark, ...Object.values(tokens)]

function sentOf(route: Route, things: Things, made: Case): Sent {
  let noun = 0
  const path = pathOf({ path: route.path.replace(/:[a-z]+/gi, name => made.nouns[noun++ % made.nouns.length] ?? name) }, things)
  const joined = made.query ? `${path}${path.includes('?') ? '&' : '?'}${made.query}` : path
  return {
    method: route.method,
    // The HTTP parser refuses the replaced characters, so they would never reach a route.
    path: joined.replace(/[^!-~]|#/g, '-'),
    token: tokens[made.token] ?? null,
    contentType: made.contentType,
    body: bytesOf(route.body?.(things) ?? null, made.body),
  }
}

function bytesOf(valid: Record<string, unknown> | null, made: Case['body']): Buffer | null {
  if (made === null) return null
  if ('bytes' in made) return Buffer.from(made.bytes)
  if ('text' in made) return Buffer.from(made.text)
  if ('deep' in made) return Buffer.from(`{"extra":${deep(made.deep)},${JSON.stringify(valid ?? { a: 1 }).slice(1)}`)
  return valid === null ? null : Buffer.from(JSON.stringify(changed(valid, made.changes)))
}

function changed(valid: Record<string, unknown>, changes: readonly Change[]): unknown {
  const made = structuredClone(valid)
  for (const { at, how, key, value } of changes) {
    const places = placesOf(made)
    const place = places[at % places.length]
    if (place === undefined) continue
    const [holder, name] = place
    if (how === 'replace') holder[name] = value
    else if (how === 'twist') holder[name] = twisted(holder[name], at, value)
    else if (how === 'remove') delete holder[name]
    else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}

/** Another value of the same type: only a check after the check of types can refuse this value. */
function twisted(present: unknown, at: number, value: unknown): unknown {
  const text = typeof value === 'string' ? value : String(at)
  if (typeof present === 'string') return [text, present + text, `${present}\u0000 `][at % 3]
  if (typeof present === 'number') return typeof value === 'number' ? value : present + at
  if (typeof present === 'boolean') return !present
  if (Array.isArray(present)) return [...present, typeof present[0] === 'number' ? at : text]
  return value
}

/** Every field at every depth, with the object that contains the field. */
function placesOf(holder: Record<string, unknown>): [holder: Record<string, unknown>, name: string][] {
  return Object.entries(holder).flatMap(([name, inner]) => [
    [holder, name] as [Record<string, unknown>, string],
    ...(typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? placesOf(inner as Record<string, unknown>) : []),
  ])
}

const types: Record<number, string> = { 2001: 'validation_error', 2002: 'not_found', 2003: 'forbidden' }

/** Returns the code and message of a refusal, null on success. Throws if the body is no envelope of reference/envelope 2. */
function envelopeOf({ status, text }: Received): string | null {
  if (status !== 200) throw new Error(`HTTP ${status}: ${text.slice(0, 300)}`)
  const envelope = JSON.parse(text)
  if (Object.keys(envelope).join() !== 'result,error,meta' || envelope.meta !== null) throw new Error(`no envelope: ${text}`)
  const { result, error } = envelope
  if (error === null) return null
  const { code, error_type: type, message, details } = error
  const isKnown = (code >= 1001 && code <= 1004) || (code >= 2001 && code <= 2006)
  const expectedType = code < 2000 ? 'access_denied' : (types[code] ?? 'internal_error')
  const isWhole = Object.keys(error).join() === 'code,error_type,message,details' && type === expectedType && result === null
  if (!isKnown || !isWhole || !message || !details) throw new Error(`not an envelope: ${text.slice(0, 500)}`)
  if (secrets().some(secret => text.includes(secret))) throw new Error(`a secret comes back: ${text.slice(0, 500)}`)
  if (text.length > 4_000) throw new Error(`a refusal of ${text.length} characters`)
  return `${code} ${message}`
}
