// Delays after failed sign-ins. Tries are counted by name and by client address, in the store, so that all processes share the counts. A
// count expires after a while. A try is counted before its password is checked, so that simultaneous tries are all counted. A successful
// try reduces the count again.
import { createHash } from 'node:crypto'
import type { SignInTriesDocument } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import { clientNetwork } from '#shared/net/client-network.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { usernameOf } from './fields.ts'

export interface SignInTry {
  username: string
  /** Address of the client, as the gateway sees it. */
  client: string
  /** Id of the try. A retry with the same id is not counted again. */
  attemptId: string
}

type Context = Pick<DirectoryContext, 'store' | 'clock'>

interface Counted {
  id: string
  free: number
  waitMsMax: number
}

const { signIn } = limits

/** Counts a try, unless there were too many tries. Returns the time to wait, ms; 0: the try is permitted. */
export async function countTry({ store, clock }: Context, tried: SignInTry): Promise<number> {
  const counted = [nameOf(tried), clientOf(tried)]
  const present = await store.get(
    'signInTries',
    counted.map(({ id }) => id),
  )
  const waits = counted.map((one, i) => waitOf(present[i] ?? null, tried, one, clock.now()))
  for (const one of counted) {
    if (Math.max(...waits) > 0) break
    waits.push(await countOne({ store, clock }, one, tried))
  }
  return Math.max(...waits)
}

/**
 * Called after a successful try. Resets the count of the name, but reduces the count of the address by only one. Otherwise an attacker with
 * one valid password could reset the count of an address.
 */
export async function forgiveTry({ store, clock }: Context, tried: SignInTry): Promise<void> {
  await store.delete('signInTries', [nameOf(tried).id])
  await changeGuarded(
    store,
    'signInTries',
    clientOf(tried).id,
    present => present && { ...present, count: Math.max(0, present.count - 1), blockedUntil: clock.now() },
  )
}

/**
 * Counts one try and returns 0, or returns how long to wait, ms. Computes the wait again in the guarded write, because other tries may have
 * been counted since the caller's read.
 */
async function countOne({ store, clock }: Context, counted: Counted, tried: SignInTry): Promise<number> {
  let waitMs = 0
  await changeGuarded(store, 'signInTries', counted.id, present => {
    const now = clock.now()
    waitMs = waitOf(present, tried, counted, now)
    if (waitMs > 0 || present?.attemptId === tried.attemptId) return null
    const count = (present && present.expireAt > now ? present.count : 0) + 1
    const blockedUntil = now + waitAfter(count, counted)
    return { id: counted.id, rev: 0, count, attemptId: tried.attemptId, blockedUntil, expireAt: blockedUntil + signIn.forgetMs }
  })
  return waitMs
}

function waitOf(tries: SignInTriesDocument | null, { attemptId }: SignInTry, { waitMsMax }: Counted, now: number): number {
  if (tries === null || tries.attemptId === attemptId) return 0
  const waitMs = Math.max(0, tries.blockedUntil - now)
  // A wait longer than `waitMsMax` is ignored: a process whose clock was ahead has stored it.
  return waitMs > waitMsMax ? 0 : waitMs
}

const waitAfter = (count: number, { free, waitMsMax }: Counted): number =>
  count < free ? 0 : Math.min(signIn.waitMs * 2 ** Math.min(count - free, 30), waitMsMax)

const nameOf = ({ username }: SignInTry): Counted => ({
  id: `name.${digest(usernameOf(username))}`,
  free: signIn.triesPerName,
  waitMsMax: signIn.waitPerNameMsMax,
})

const clientOf = ({ client }: SignInTry): Counted => ({
  id: `client.${digest(networkOf(client))}`,
  free: signIn.triesPerClient,
  waitMsMax: signIn.waitPerClientMsMax,
})

/** Returns the network of a client. Tries are counted by network, because one IPv6 client has 2^64 addresses. */
export const networkOf = (client: string): string => clientNetwork(withoutPort(client))

/** Removes the client's port. Some proxies add this port, and it differs for each connection. */
const withoutPort = (client: string): string => client.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')

/** Returns a hash, which is stored instead of the name or the address. */
const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32)
