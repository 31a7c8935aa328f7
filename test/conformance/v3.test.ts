// Rights and order of checks in generation 3: each route is called with every role and every kind of key. A refused request stores nothing.
// Reference: docs/reference/v3.md, 1.3, 2.2 and 2.5.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { type KeyAction, keyActions } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import type { Route } from '../../services/gateway/http/route.ts'
import { v3Routes } from '../../services/gateway/v3/routes.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../support/worlds/api-world.ts'
import { startFakeNotifier } from '../support/worlds/fake-notifier.ts'
import { addIncident } from '../support/worlds/stored-incident.ts'

const home = 'home000000'
const foreign = 'foreign000'

interface Refused {
  status: number
  details: Record<string, unknown>
}

interface Caller {
  title: string
  username: string
  token: string | null
  role: 'viewer' | 'editor' | 'owner' | 'stranger' | null
  /** Actions of the key; null: a full key. */
  actions: readonly KeyAction[] | null
  isAdmin?: true
}

let world: ApiWorld
const callers: Caller[] = []

t.before(async () => {
  // The audit is off, because a refused call must store nothing, and the audit would store a row.
  world = await startApiWorld({ audit: false })
  await startFakeNotifier(world.hub.connect())
  callers.push({ title: 'nobody', username: 'nobody', token: null, role: null, actions: null })
  callers.push({ title: 'an unknown key', username: 'nobody', token: makeToken(), role: null, actions: null })
  const full = async (title: string, username: string, role: 'stranger' | 'owner', isAdmin: boolean) => {
    const token = await person(username, role === 'owner' ? { [home]: role, [foreign]: role } : { [foreign]: 'owner' }, isAdmin)
    callers.push({ title, username, token, role, actions: null, ...(isAdmin ? { isAdmin } : {}) })
  }
  await person('host', {})
  await full('a stranger', 'stranger', 'stranger', false)
  await full('an administrator', 'admin', 'stranger', true)
  await full('an owner who administers', 'root', 'owner', true)
  for (const role of ['viewer', 'editor', 'owner'] as const) {
    const token = await person(role, { [home]: role, [foreign]: role })
    callers.push({ title: role, username: role, token, role, actions: null })
    for (const actions of [[], ...keyActions.map(action => [action])]) {
      const title = `${role} with a key for ${actions[0] ?? 'reading'}`
      callers.push({ title, username: role, token: await scopedKey(role, actions), role, actions })
    }
  }
  for (const collection of names) begun.set(collection, await world.store.find(collection, { limit: 10_000 }))
})
t.teardown(() => world.stop())

const person = async (name: string, roles: Parameters<ApiWorld['addPerson']>[1], admin = false): Promise<string> =>
  (await world.addPerson(name, roles, { admin })).token

const names = Object.keys(collections) as CollectionName[]
/** Documents that stand when no route was called yet. */
const begun = new Map<CollectionName, { id: string }[]>()

async function scopedKey(username: string, actions: KeyAction[]): Promise<string> {
  const token = makeToken()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const key = { id: `s${username}${actions.join()}`, description: '', tokenHash: hashToken(token), prefix: 'wk_' }
  await ask('create-key', { ...key, userId: `user-${username}`, scope: { workspaceId: home, actions } })
  return token
}

/** Restores the documents that stood at the start, except counters and settings. */
async function forgetCalls(): Promise<void> {
  for (const collection of names) {
    if (collection === 'counters' || collection === 'settings') continue
    const stays = begun.get(collection) ?? []
    const found = await world.store.find(collection, { limit: 10_000 })
    const ids = found.map(({ id }) => id).filter(id => !stays.some(document => document.id === id))
    if (ids.length > 0) await world.store.delete(collection, ids)
    if (collection === 'workspaces' || collection === 'users') await world.store.upsert(collection, stays as never)
  }
}

const call = (method: string, path: string, workspace: string, options: CallOptions) =>
  world.call(method, `/api/v3${path.replace(':workspace', workspace)}`, options)

/** Publishes both revisions of the Template that the examples of Resources name. */
async function publishExamples({ path }: Route): Promise<void> {
  if (!path.includes('/resources')) return
  const publish = v3Routes.find(route => route.method === 'POST' && route.path.endsWith('/templates'))
  for (const body of publish?.examples ?? []) {
    const { status } = await call('POST', '/workspaces/:workspace/templates', home, { token: tokenOf(mostRights), body })
    if (status !== 201) throw new Error(`The example Template was refused with ${status}`)
  }
}

/** Starts a window, because only a running window can be ended. */
async function startMaintenance({ method, path }: Route, made: string): Promise<void> {
  if (method !== 'DELETE' || !path.endsWith('/maintenance')) return
  const { status } = await call('PUT', made, home, { token: tokenOf(mostRights), body: { minutes: 5 } })
  if (status !== 200) throw new Error(`The window was refused with ${status}`)
}

/** Creates what the examples name: an account for the routes of members, a location for those of prober credentials. */
async function createNamed({ path }: Route): Promise<void> {
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const account = { id: 'user-ada', username: 'ada', displayName: '', password: null, admin: false }
  if (path.includes('/members')) await ask('create-user', account)
  const location = { id: 'here', name: 'local', displayName: null }
  if (path.includes('/prober-credentials')) await ask('create-location', location)
}

/** Invites the person to a workspace of somebody else. Returns the id of the invitation. */
async function invited(username: string): Promise<string> {
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const workspaceId = 'hosting000'
  await ask('create-workspace', { id: workspaceId, name: 'Hosting', userId: 'user-host' })
  const { id } = await ask('invite', { id: `${workspaceId}.1`, workspaceId, inviterId: 'user-host', username, role: 'viewer' })
  return id
}

/**
 * Creates the object that the path addresses, from the example of the route that creates such objects. Returns the path with the object's
 * id. `username`: the person who calls the route.
 */
async function madePath({ path }: Route, username: string): Promise<string> {
  const [, all, id] = /^(.*?)[/](:(?!workspace)[^/]+)/.exec(path) ?? []
  if (all === undefined || id === undefined) return path
  if (id === ':incident') return path.replace(id, await addIncident(world, home))
  if (all === '/invitations') return path.replace(id, await invited(username))
  const maker = v3Routes.find(route => route.method === 'POST' && route.path === all)
  // The second example of a Resource is of a Template with a scheduled signal.
  const body = maker?.examples?.[path.includes('/ping-addresses') ? 1 : 0]
  const made = await call('POST', all, home, { token: tokenOf(mostRights), body })
  return path.replace(id, made.json.result.id).replace(':signal', 'run')
}

/** The refusal that the reference names; null: the request succeeds. */
function expected({ needs, path }: Route, { role, actions, isAdmin }: Caller): Refused | null {
  const { role: needed, scope, alsoAdmin } = needs
  if (needed === 'nobody') return null
  if (role === null) return { status: 401, details: {} }
  if (path.includes(':workspace') && role === 'stranger') return { status: 404, details: {} }
  if (actions !== null && scope !== null && (scope === 'full' || !actions.includes(scope))) {
    return { status: 403, details: { scope } }
  }
  const ranks = ['viewer', 'editor', 'owner']
  const isRanked = needed !== 'anybody' && needed !== 'admin'
  if (isRanked && ranks.indexOf(role) < ranks.indexOf(needed)) return { status: 403, details: { role: needed } }
  const isRefused = (needed === 'admin' || alsoAdmin !== undefined) && isAdmin !== true
  return isRefused ? { status: 403, details: { role: 'admin' } } : null
}

for (const route of v3Routes) {
  const line = `${route.method} ${route.path}`

  t.test(`${line} serves exactly the roles and keys that its record names (v3 2.2)`, async t => {
    for (const caller of callers) {
      await forgetCalls()
      await publishExamples(route)
      await createNamed(route)
      const path = await madePath(route, caller.username)
      await startMaintenance(route, path)
      const before = await world.dump()
      const [body] = route.examples ?? []
      const answer = await call(route.method, path, home, { token: caller.token, ...(body === undefined ? {} : { body }) })
      const refused = expected(route, caller)
      t.equal(answer.status, refused?.status ?? successOf(route), caller.title)
      if (refused === null) continue
      t.strictSame(answer.json.error.details, refused.details, caller.title)
      t.equal(await world.dump(), before, `${caller.title} is refused and nothing is stored`)
    }
  })

  t.test(`${line} reports the first of two faults and stores nothing (v3 1.3)`, async t => {
    await forgetCalls()
    await publishExamples(route)
    await createNamed(route)
    const made = await madePath(route, 'root')
    const before = await world.dump()
    const faults = faultsOf(route)
    for (const [i, first] of faults.entries()) {
      for (const later of faults.slice(i)) {
        const sent = { token: tokenOf(mostRights), ...valid(route), ...later.sent, ...first.sent }
        const { workspace = home, path = made, query = '', suffix = '', body, raw, ...options } = sent
        const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
        const answer = await call(route.method, `${path}${suffix}${query}`, workspace, {
          ...options,
          ...(text === undefined ? {} : { raw: text }),
        })
        t.equal(answer.status, first.status, `${first.name}, and ${later.name}`)
      }
    }
    t.equal(await world.dump(), before)
  })
}

/** The example does not have the name of this workspace, so that the other routes still find it. */
const successOf = ({ path, status = 200 }: Route): number => (path.endsWith('/deletion') ? 422 : status)

t.test(
  'reads of recorded evidence and of ping addresses and keys are audited, and other reads are not (v3 11.3, 17.5, 17.6)',
  async t => {
    for (const { method, path, isAudited } of v3Routes) {
      if (method === 'GET') t.equal(isAudited, auditedReads.includes(path), `${method} ${path}`)
    }
  },
)

const auditedReads = [
  '/workspaces/:workspace/resources/:resource/observations',
  '/workspaces/:workspace/resources/:resource/ping-addresses',
  '/workspaces/:workspace/ping-keys',
  '/workspaces/:workspace/incidents/:incident',
  '/workspaces/:workspace/incidents/:incident/deliveries',
  '/workspaces/:workspace/incidents/:incident/responses',
  '/workspaces/:workspace/deliveries',
]

interface Sent {
  token?: string | null
  workspace?: string
  path?: string
  query?: string
  suffix?: string
  body?: unknown
  raw?: string
}

interface Fault {
  name: string
  status: number
  sent: Sent
}

/** Matches the path parameter of an object other than a workspace. */
const anId = /[/]:(?!workspace)[^/]+/

/** Title of the caller who may do everything. */
const mostRights = 'an owner who administers'

const tokenOf = (title: string): string | null => callers.find(caller => caller.title === title)?.token ?? null

const valid = ({ examples: [body] = [] }: Route): Sent => (body === undefined ? {} : { body })

/** Faults in the order in which the API reports them. */
function faultsOf(route: Route): Fault[] {
  const { needs, path, body: schema } = route
  const [example] = (route.examples ?? []) as Record<string, unknown>[]
  const isScoped = needs.scope !== null
  const isRanked = needs.role === 'editor' || needs.role === 'owner' || needs.role === 'admin'
  const [field = ''] = Object.keys(example ?? {})
  const other = Array.isArray(example?.[field]) ? 7 : [7]
  return [
    ...(needs.role === 'nobody' ? [] : [{ name: 'no key', status: 401, sent: { token: null } }]),
    { name: 'no route', status: 404, sent: { suffix: '/a/b/c/d' } },
    ...(path.includes(':workspace') ? [{ name: 'no such workspace', status: 404, sent: { workspace: 'nothing000' } }] : []),
    ...(route.find === undefined
      ? []
      : [{ name: 'no such object', status: 404, sent: { path: path.replace(anId, '/nothing') } }]),
    ...(isScoped ? [{ name: 'a key for reading', status: 403, sent: { token: tokenOf('owner with a key for reading') } }] : []),
    ...(isRanked ? [{ name: 'a viewer', status: 403, sent: { token: tokenOf('viewer') } }] : []),
    ...(schema === undefined || example === undefined
      ? []
      : [
          { name: 'too large', status: 413, sent: { raw: ' '.repeat((route.bodyBytes ?? limits.v3.bodyBytes) + 1) } },
          { name: 'no JSON', status: 400, sent: { raw: '{"name":' } },
          { name: 'an unknown field', status: 400, sent: { raw: JSON.stringify({ ...example, unknown: 1, [field]: other }) } },
          { name: 'another type', status: 400, sent: { raw: JSON.stringify({ ...example, [field]: other }) } },
          ...(schema.required?.includes(field)
            ? [
                {
                  name: 'a field that is missing',
                  status: 422,
                  sent: { raw: JSON.stringify({ ...example, [field]: undefined }) },
                },
              ]
            : []),
        ]),
    { name: 'an unknown parameter', status: 422, sent: { query: '?unknown=1' } },
  ]
}
