// World for tests of people in the directory: two directories on one store, people in this store, and races on every store.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { SessionIdentity, SignInOutcome } from '#shared/contracts/ask/ask-people.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { randomId } from '#shared/text/ids.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { type DirectoryOptions, startDirectory } from '../../../services/directory/app.ts'
import { createMemoryHub } from '../bus/memory-bus.ts'
import { createHandClock } from '../hand-clock.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { sharedMongodb } from '../store/secantus.ts'
import { cheapPasswords } from './cheap-passwords.ts'

export const silent = pino({ level: 'silent' })
export const good = 'correct horse battery'

/** Starts two directories on one store. They share the requests, as two processes would. */
export async function start(t: Test, store: Store = createMemoryStore(), options: DirectoryOptions = {}) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const logged: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  for (const bus of [hub.connect(), hub.connect()]) {
    const service = await startDirectory(
      { bus, clock, store, logger, metrics: new Registry() },
      { passwordCost: cheapPasswords, ...options },
    )
    t.teardown(() => service.stop())
  }
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const addUser = (username: string, more: Partial<AskRequest<'create-user'>> = {}) =>
    ask('create-user', { id: `id-${username}`, username, displayName: '', password: null, admin: false, ...more })
  let attempts = 0
  const signIn = async (username: string, password: string, more: { client?: string; id?: string; mark?: string } = {}) => {
    const token = makeToken()
    const session = { id: more.id ?? `session${++attempts}`, tokenHash: hashToken(token) }
    const mark = more.mark === undefined ? {} : { mark: more.mark }
    const outcome = await ask('sign-in', { username, password, client: more.client ?? '192.0.2.1', session, ...mark })
    return { ...session, outcome }
  }
  const told: string[] = []
  await hub
    .connect()
    .bucket('revocations')
    .watch('*.*', { onEntry: entry => void told.push(entry.key) })
  return { clock, hub, store, ask, addUser, signIn, told, logged }
}

export type World = Awaited<ReturnType<typeof start>>

/** Runs a race on every store: in memory, on a file, and over MongoDB's wire protocol. */
export function onEachStore(title: string, run: (t: Test, store: Store, rounds: number) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore(), 20))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'people.db'))
    t.teardown(() => store.close())
    await run(t, store, 20)
  })
  t.test(`${title}, over the wire protocol of MongoDB`, async t => {
    const url = await sharedMongodb(t)
    if (url === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const store = await openMongodbStore(url)
    t.teardown(() => store.close())
    await run(t, store, 5)
  })
}

export const identityOf = (outcome: SignInOutcome): SessionIdentity => {
  if (outcome.outcome !== 'signed-in') throw new Error(`not signed in: ${JSON.stringify(outcome)}`)
  return outcome.identity
}

/** Creates a key of a user, as the user's request does. */
export async function addKey({ ask }: World, userId: string) {
  const token = makeToken()
  const tokenHash = hashToken(token)
  const key = await ask('create-key', { id: randomId(10), userId, description: 'test', tokenHash, prefix: tokenPrefix(token) })
  return { ...key, token, tokenHash, whose: () => ask('authenticate', { tokenHash }) }
}
