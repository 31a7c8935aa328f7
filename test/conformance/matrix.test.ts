// Rights of callers: every kind of caller calls each route, and a refused call stores nothing (reference/envelope 3.2, 3.3, 4.4 and 4.6).
// The routes are listed in routes.ts.
import t from 'tap'
import { makeToken } from '#shared/tokens/api-token.ts'
import { type ApiWorld, startApiWorld } from '../support/worlds/api-world.ts'
import { freshThings, pathOf, type Route, routes } from './routes.ts'

const home = 'home000000'

interface Expected {
  code: number
  message: string
  type: string
  /** Expected message of the refusal; absent: any message is accepted. */
  details?: string
}

interface Caller {
  title: string
  headers: () => Record<string, string>
  /** Returns the expected refusal of a route; null: the call succeeds. */
  expected: (route: Route) => Expected | null
}

const refused = (code: number, message: string): Expected => ({
  code,
  message,
  type: code < 2000 ? 'access_denied' : code === 2002 ? 'not_found' : 'internal_error',
})
const always = (code: number, message: string) => () => refused(code, message)
const tooSmall: Expected = { ...refused(2005, 'Access denied'), details: 'Needs the role editor; yours is viewer.' }

let world: ApiWorld
const tokens: Record<string, string> = {}
const bearer = (name: string) => () => ({ authorization: `Bearer ${tokens[name]}` })

const callers: Caller[] = [
  { title: 'nobody', headers: () => ({}), expected: always(1001, 'Missing Authorization header') },
  {
    title: 'a header that is not Bearer',
    headers: () => ({ authorization: `Token ${tokens['owner']}` }),
    expected: always(1002, 'Malformed Authorization header'),
  },
  { title: 'a malformed token', headers: () => ({ authorization: 'Bearer nonsense' }), expected: always(1003, 'Invalid token') },
  {
    title: 'an unknown token',
    headers: () => ({ authorization: `Bearer ${makeToken()}` }),
    expected: always(1003, 'Invalid token'),
  },
  { title: 'an expired key', headers: bearer('expired'), expected: always(1003, 'Invalid token') },
  { title: 'a deleted key', headers: bearer('deleted'), expected: always(1003, 'Invalid token') },
  { title: 'a disabled owner', headers: bearer('disabled'), expected: always(1004, 'User is disabled') },
  {
    title: 'a stranger',
    headers: bearer('stranger'),
    expected: ({ outsider }) => (outsider ? refused(outsider.code, outsider.message) : null),
  },
  { title: 'a viewer', headers: bearer('viewer'), expected: ({ needs }) => (needs === 'editor' ? tooSmall : null) },
  { title: 'an editor', headers: bearer('editor'), expected: () => null },
  { title: 'an owner', headers: bearer('owner'), expected: () => null },
]

t.before(async () => {
  world = await startApiWorld()
  for (const name of ['owner', 'editor', 'viewer'] as const) {
    tokens[name] = (await world.addPerson(name, { [home]: name })).token
  }
  tokens['stranger'] = (await world.addPerson('stranger', { foreign000: 'owner' })).token
  tokens['disabled'] = (await world.addPerson('disabled', { [home]: 'owner' }, { disabled: true })).token
  for (const name of ['expired', 'deleted'] as const) {
    const { token, keyId } = await world.addPerson(name, { [home]: 'owner' })
    tokens[name] = token
    const [key] = await world.store.get('keys', [keyId])
    if (name === 'deleted' || !key) await world.store.delete('keys', [keyId])
    else await world.store.upsert('keys', [{ ...key, expiresAt: world.clock.now() }])
  }
  await world.store.insert('locations', [{ id: 'aaaa', rev: 1, name: 'de', displayName: null, createdAt: world.clock.now() }])
})
t.teardown(() => world.stop())

t.test('each route is listed once', async t => {
  const lines = routes.map(route => `${route.method} ${route.path}`)
  t.strictSame([...new Set(lines)], lines)
})

for (const route of routes) {
  t.test(`${route.method} ${route.path} requires ${route.needs === 'key' ? 'a key' : route.needs}`, async t => {
    for (const caller of callers) {
      const things = await freshThings(world, home)
      const before = await world.dump()
      const body = route.body?.(things)
      const answer = await world.call(route.method, pathOf(route, things), { headers: caller.headers(), body })
      const expected = caller.expected(route)
      t.equal(answer.status, 200, caller.title)
      t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'], caller.title)
      t.equal(answer.json.meta, null)
      if (expected === null) t.equal(answer.json.error, null, `${caller.title} is served`)
      else {
        t.equal(answer.json.result, null)
        const { code, message, error_type: type, details } = answer.json.error
        t.strictSame({ code, message, type, details }, { details, ...expected }, caller.title)
        t.ok(typeof details === 'string' && details.length > 0, 'with a sentence')
        t.equal(await world.dump(), before, `${caller.title} is refused and nothing is stored`)
      }
    }
  })
}
