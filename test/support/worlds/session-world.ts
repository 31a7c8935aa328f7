// The session API for tests: the real directory on SQLite, one or more gateways that share it, real HTTP, a clock that the test advances,
// and people whose passwords are known.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Role } from '#shared/contracts/account.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { bootstrap } from '../../../services/directory/people/bootstrap.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import type { GatewayOptions } from '../../../services/gateway/gateway-options.ts'
import { type SessionOptions, sessionDefaults } from '../../../services/gateway/session/caller/options.ts'
import { createMemoryHub, type MemoryHub } from '../bus/memory-bus.ts'
import { type Browser, openBrowser } from '../clients/browser.ts'
import { createHandClock, type HandClock } from '../hand-clock.ts'
import { cheapPasswords } from './cheap-passwords.ts'
import { fakeProberIssuer } from './fake-prober-issuer.ts'

export interface SessionWorld {
  clock: HandClock
  hub: MemoryHub
  store: Store
  ask: ReturnType<typeof createDirectoryClient>['ask']
  /** Addresses of the gateways. */
  addresses: string[]
  servers: Server[]
  /** Ids of the owner and the workspace that the first start created. */
  ownerId: string
  workspaceId: string
  /** Lines that the services logged. */
  logged: string[]
  /** Returns a browser without a session, at one of the gateways. */
  browser(gateway?: number): Browser
  /** Creates an account with this name and a password derived from the name, with these roles by workspace id. */
  addPerson(username: string, roles?: Record<string, Role>, more?: { admin?: boolean }): Promise<string>
  /** Returns the browser of a signed-in person. */
  signedIn(username: string, gateway?: number): Promise<Browser>
  stopDirectory(): Promise<void>
  /** Returns all stored documents as text. */
  dump(): Promise<string>
}

export interface WorldOptions {
  session?: Partial<SessionOptions>
  trustProxy?: GatewayOptions['trustProxy']
  connections?: GatewayOptions['connections']
  assets?: GatewayOptions['assets']
  /** Number of gateways; absent: 1. */
  gateways?: number
  /** Makes the browsers use this host name for the gateway. */
  home?: string
}

interface Test {
  testdir(): string
  teardown(run: () => Promise<void>): unknown
}

export const passwordOf = (username: string): string => `${username}'s password`

export async function startSessionWorld(t: Test, options: WorldOptions = {}): Promise<SessionWorld> {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const store = await openSqliteStore(join(t.testdir(), 'session.db'))
  const logged: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  await bootstrap({ store, clock }, { location: 'local' })
  const context = { bus: hub.connect(), clock, logger, metrics: new Registry(), store }
  const directory = await startDirectory(context, {
    proberIssuer: fakeProberIssuer,
    passwordCost: cheapPasswords,
    incidentSalt: 'salt',
  })
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const given: GatewayOptions = {
    version: '2.0.0',
    incidentSalt: 'salt',
    session: { ...sessionDefaults, ...options.session },
    ...(options.trustProxy ? { trustProxy: options.trustProxy } : {}),
    ...(options.connections ? { connections: options.connections } : {}),
    ...(options.assets ? { assets: options.assets } : {}),
  }
  const start = () => createGateway({ bus: hub.connect(), clock, logger, metrics: new Registry() }, given)
  const gateways = await Promise.all(Array.from({ length: options.gateways ?? 1 }, start))
  for (const { fastify } of gateways) await fastify.listen({ host: '127.0.0.1', port: 0 })
  const addresses = gateways.map(({ fastify }) => `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`)
  const servers = gateways.map(({ fastify }) => fastify.server)
  const owner = await ask('find-user', { username: 'owner' })
  const [workspace] = await ask('list-workspaces', { userId: owner!.id })
  await ask('set-password', { userId: owner!.id, password: passwordOf('owner') })
  t.teardown(async () => {
    for (const { service } of gateways) await service.stop()
    await directory.stop()
    await store.close()
  })
  const browser = (gateway = 0): Browser => {
    const address = addresses[gateway]
    if (address === undefined) throw new Error(`There is no gateway ${gateway}: start the world with more gateways.`)
    const home = options.home ?? address
    return openBrowser(home, { [new URL(home).host]: address })
  }
  const world = { clock, hub, store, ask, addresses, servers, ownerId: owner!.id, workspaceId: workspace!.id, logged, browser }
  return {
    ...world,
    addPerson: (username, roles = {}, more = {}) => addPerson(world, username, roles, more),
    signedIn: (username, gateway) => signIn(browser(gateway), username),
    stopDirectory: () => directory.stop(),
    dump: () => dump(store),
  }
}

async function addPerson(
  { ask }: Pick<SessionWorld, 'ask'>,
  username: string,
  roles: Record<string, Role>,
  more: { admin?: boolean },
) {
  const id = `user-${username}`
  await ask('create-user', { id, username, displayName: '', password: passwordOf(username), admin: more.admin ?? false })
  for (const [workspaceId, role] of Object.entries(roles)) await ask('add-member', { workspaceId, username, role })
  return id
}

async function signIn(browser: Browser, username: string): Promise<Browser> {
  const shown = await browser.send('POST', '/session/sign-in', { body: { username, password: passwordOf(username) } })
  if (shown.status === 200) return browser
  throw new Error(`${username} could not sign in: ${shown.text}`)
}

async function dump(store: Store): Promise<string> {
  const names = Object.keys(collections) as CollectionName[]
  return JSON.stringify(await Promise.all(names.map(async name => [name, await store.find(name, { limit: 10_000 })])))
}
