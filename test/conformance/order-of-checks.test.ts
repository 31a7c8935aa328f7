// Order of checks: a request with two faults is refused for the fault that comes first in reference/envelope 4.1. Every pair of faults is
// tried on every route of routes.ts. No request stores anything. Faults of state are tested in subjects-v2/.
import t from 'tap'
import { type ApiWorld, startApiWorld } from '../support/worlds/api-world.ts'
import { freshThings, pathOf, type Route, routes, type Things } from './routes.ts'

const home = 'home000000'
const foreign = 'foreign000'

/** A request that is valid until the test puts a fault into it. */
interface Sent {
  things: Things
  path: string
  suffix: string
  token: string | null
  body: Record<string, unknown> | null
  raw: string | null
}

interface Defect {
  name: string
  told: readonly [code: number, message: string]
  /** Changes of a valid request that put this fault into it. */
  spoil(sent: Sent): Partial<Sent>
}

let world: ApiWorld
let owner = ''
let viewer = ''

t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('owner', { [home]: 'owner' })).token
  viewer = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  await world.addPerson('stranger', { [foreign]: 'owner' })
  await world.store.insert('locations', [{ id: 'aaaa', rev: 1, name: 'de', displayName: null, createdAt: world.clock.now() }])
})
t.teardown(() => world.stop())

/** Faults in the order in which the API must report them. */
function defectsOf(route: Route, sample: Sent): Defect[] {
  const inBody = sample.body !== null && 'workspace_id' in sample.body && !route.path.includes('/:')
  const isViewer: Defect = { name: 'a viewer', told: [2005, 'Access denied'], spoil: () => ({ token: viewer }) }
  return [
    { name: 'no key', told: [1001, 'Missing Authorization header'], spoil: () => ({ token: null }) },
    { name: 'no route', told: [2002, 'Not found'], spoil: () => ({ suffix: '/a/b/c/d' }) },
    ...wrongWorkspace(route, inBody),
    ...wrongObjects(route),
    ...(route.needs === 'editor' ? [isViewer] : []),
    ...wrongBody(route, sample, inBody),
  ]
}

function wrongWorkspace({ path }: Route, inBody: boolean): Defect[] {
  const told = [2005, 'Access denied'] as const
  const name = 'a workspace of others'
  if (inBody) return [{ name, told, spoil: ({ body }) => ({ body: { ...body, workspace_id: foreign } }) }]
  if (path.includes('workspace_id'))
    return [{ name, told, spoil: ({ things }) => ({ things: { ...things, workspace: foreign } }) }]
  if (!path.startsWith('/v2/subjects/')) return []
  return [{ name, told, spoil: ({ path: before }) => ({ path: `${before}?workspace_id=${foreign}` }) }]
}

const nouns: Partial<Record<keyof Things, string>> = {
  ...{ subject: 'Subject', maintained: 'Subject', signal: 'Signal', rule: 'Rule', incident: 'Incident', trouble: 'Incident' },
  ...{ destination: 'Destination', transformation: 'Transformation' },
}

function wrongObjects({ path }: Route): Defect[] {
  const names = [...path.replace(/[?].*/, '').matchAll(/:([a-z]+)/g)].map(([, name]) => name as keyof Things)
  return names.map(name => ({
    name: `no such ${name}`,
    told: [2002, `${nouns[name] ?? (path.startsWith('/v1') ? 'Rule' : 'Website monitor')} not found`],
    spoil: ({ things }) => ({ things: { ...things, [name]: nouns[name]?.endsWith('tion') ? '999' : 'nothing000' } }),
  }))
}

const wordsOf: Record<string, string> = { status: 'invalid status', ends_at: 'invalid observed_at' }

/**
 * Faults of a body: no JSON, a wrong JSON type, a missing first field. Skips the types of `meta` and `status`, which a later check refuses.
 */
function wrongBody(route: Route, { body }: Sent, inBody: boolean): Defect[] {
  if (route.path.endsWith('/acknowledge'))
    return [{ name: 'a body', told: [2001, 'This request takes no body'], spoil: () => ({ raw: '{}' }) }]
  if (body === null) return []
  const told = [2006, 'Invalid JSON'] as const
  const fields = Object.keys(body).filter(name => name !== 'workspace_id')
  const typed = fields.filter(name => !['meta', 'status'].includes(name)).at(-1) ?? 'x'
  const noJson: Defect = { name: 'no JSON', told, spoil: () => ({ raw: '{"name":' }) }
  const ofAnotherType: Defect = {
    name: `${typed} of another type`,
    told,
    spoil: ({ body: before }) => ({ body: { ...before, [typed]: [7] } }),
  }
  const leftOut = fields.slice(0, 1).map(
    (first): Defect => ({
      name: `no ${first}`,
      told: [2001, wordsOf[first] ?? 'Validation failed'],
      spoil: ({ body: before }) => ({ body: { ...before, [first]: undefined } }),
    }),
  )
  // If the body is not JSON, the gateway cannot read the workspace that the body names.
  return [...(inBody ? [] : [noJson]), ofAnotherType, ...leftOut]
}

const valid = (route: Route, things: Things): Sent => ({
  things: { ...things },
  path: route.path,
  suffix: '',
  token: owner,
  body: route.body?.(things) ?? null,
  raw: null,
})

for (const route of routes) {
  t.test(`${route.method} ${route.path} reports the first of two faults and stores nothing`, async t => {
    const things = await freshThings(world, home)
    const before = await world.dump()
    const defects = defectsOf(route, valid(route, things))
    for (const [i, first] of defects.entries()) {
      for (const later of defects.slice(i)) {
        const once = { ...valid(route, things), ...later.spoil(valid(route, things)) }
        const sent = { ...once, ...first.spoil(once) }
        const [path = '', query] = pathOf(sent, sent.things).split('?')
        const text = sent.raw ?? (sent.body === null ? undefined : JSON.stringify(sent.body))
        const answer = await world.call(route.method, `${path}${sent.suffix}${query === undefined ? '' : `?${query}`}`, {
          token: sent.token,
          ...(text === undefined ? {} : { raw: text, headers: { 'content-type': 'application/json' } }),
        })
        const { code, message } = answer.json.error ?? {}
        t.strictSame([code, message], first.told, `${first.name}, and ${later.name}`)
      }
    }
    t.equal(await world.dump(), before)
  })
}
