// Complete API for tests: directory and gateway on the memory store and the memory bus, with a fake keeper and real HTTP.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import type { KeyDocument, Role } from '#shared/contracts/account.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service, ServiceContextWithStore } from '#shared/service.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import type { GatewayOptions } from '../../../services/gateway/gateway-options.ts'
import type { Family } from '../../../services/gateway/http/family.ts'
import { createMemoryHub, type MemoryHub } from '../bus/memory-bus.ts'
import { websiteCheck } from '../checks.ts'
import { createHandClock, type HandClock } from '../hand-clock.ts'
import { createMemoryStore, type MemoryStore } from '../store/memory-store.ts'
import { cheapPasswords } from './cheap-passwords.ts'
import { type FakeKeeper, startFakeKeeper, subjectDocument } from './fake-keeper.ts'
import { fakeProberIssuer } from './fake-prober-issuer.ts'
import { storeTags } from './store-tags.ts'

export interface Answer {
  status: number
  /** Parsed body; null: the response has no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  json: any
  text: string
  headers: Headers
}

export interface CallOptions {
  token?: string | null
  body?: unknown
  /** Raw body, sent unchanged. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

export interface ApiWorld {
  clock: HandClock
  store: MemoryStore
  hub: MemoryHub
  /** The gateway's connection. */
  bus: Bus
  directoryBus: Bus
  keeper: FakeKeeper
  fastify: FastifyInstance
  metrics: Registry
  gateway: Service
  directory: Service
  address: string
  /** Lines that the services logged. */
  logged: string[]
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Returns all stored documents as text. */
  dump(): Promise<string>
  /** Creates a user with these roles by workspace id, and a key. */
  addPerson(
    name: string,
    roles: Record<string, Role>,
    more?: { disabled?: boolean; displayName?: string; admin?: boolean },
  ): Promise<{ userId: string; keyId: string; token: string }>
  addSubject(change: Partial<SubjectDocument> & { id: string; workspaceId: string }): Promise<SubjectDocument>
  stop(): Promise<void>
}

export const version = '2.0.0'
export const incidentSalt = 'salt'

type WorldOptions = { withDirectory?: boolean; families?: readonly Family[] } & Pick<
  GatewayOptions,
  'audit' | 'bodiesBytes' | 'checkBounds' | 'connections' | 'legacy' | 'pings' | 'secretsKey' | 'trustProxy'
>

export async function startApiWorld({ withDirectory, families, ...given }: WorldOptions = {}): Promise<ApiWorld> {
  const clock = createHandClock()
  const store = createMemoryStore()
  const hub = createMemoryHub({ clock })
  const [bus, directoryBus, keeperBus] = [hub.connect(), hub.connect(), hub.connect()]
  const logged: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const metrics = new Registry()
  const directorySurroundings: ServiceContextWithStore = { bus: directoryBus, clock, logger, metrics, store }
  const idle: Service = { unready: () => [], stop: async () => undefined }
  const parts = { proberIssuer: fakeProberIssuer, passwordCost: cheapPasswords }
  const directory = withDirectory === false ? idle : await startDirectory(directorySurroundings, parts)
  const keeper = await startFakeKeeper(keeperBus, store, clock)
  const { fastify, service } = await createGateway({ bus, clock, logger, metrics }, { version, incidentSalt, ...given }, families)
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  const world = { clock, store, hub, bus, directoryBus, keeper, fastify, metrics, gateway: service, directory, address, logged }
  return {
    ...world,
    call: (method, path, given = {}) => call(address, method, path, given),
    dump: async () => store.dump(),
    addPerson: (name, roles, more) => addPerson(world, name, roles, more),
    addSubject: change => addSubject(world, change),
    stop: async () => {
      await service.stop()
      await keeper.close()
      await directory.stop()
    },
  }
}

export async function call(
  address: string,
  method: string,
  path: string,
  { token, body, raw, headers = {} }: CallOptions,
): Promise<Answer> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent as string }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.status, json: isJson ? JSON.parse(text) : null, text, headers: response.headers }
}

interface Base {
  store: Store
  clock: Clock
}

/** Creates a user with these roles by workspace id, and a key. */
export async function addPerson(
  { store, clock }: Base,
  name: string,
  roles: Record<string, Role>,
  more: { disabled?: boolean; displayName?: string; admin?: boolean } = {},
) {
  const userId = `user-${name}`
  const at = clock.now()
  const token = makeToken()
  await store.upsert('users', [
    {
      id: userId,
      rev: 1,
      username: name,
      displayName: more.displayName ?? '',
      admin: more.admin ?? false,
      disabled: more.disabled ?? false,
      createdAt: at,
    },
  ])
  for (const [workspaceId, role] of Object.entries(roles)) {
    const [present] = await store.get('workspaces', [workspaceId])
    const workspace = present ?? { id: workspaceId, rev: 0, name: `Name of ${workspaceId}`, createdAt: at, members: {} }
    await store.upsert('workspaces', [
      { ...workspace, rev: workspace.rev + 1, members: { ...workspace.members, [userId]: role } },
    ])
    await store.upsert('memberships', [{ id: `${workspaceId}.${userId}`, rev: 1, workspaceId, userId }])
  }
  const key: KeyDocument = {
    id: `key-${name}`,
    rev: 1,
    userId,
    description: '',
    tokenHash: hashToken(token),
    prefix: tokenPrefix(token),
    createdAt: at,
    expiresAt: at + limits.key.lifeMs,
    lastUsedAt: null,
    scope: null,
  }
  await store.insert('keys', [key])
  return { userId, keyId: key.id, token }
}

/** Creates a website monitor. */
export async function addSubject({ store, clock }: Base, change: Partial<SubjectDocument> & { id: string; workspaceId: string }) {
  const meta = websiteCheck({ url: 'https://example.test/', locations: [] })
  const made = subjectDocument(
    change.id,
    change.workspaceId,
    'shop',
    'Shop',
    { ...meta, statuses: [200], locations: [] },
    clock.now(),
  )
  const subject = { ...made, ...change }
  await store.upsert('subjects', [subject])
  await storeTags(store, null, subject)
  return subject
}
