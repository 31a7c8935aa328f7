// Delays after failed sign-ins. Tries are counted by client network, by name and network together, and by name, in the store, so that all
// processes share the counts. A count expires after a while. Wrong tries from one network delay nobody elsewhere: of one network, only the
// first tries count against the name. A browser in which the person signed in before has a count of its own. A try is counted before its
// password is checked, so that simultaneous tries are all counted. A successful try reduces the counts again.
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
  /** Mark of a browser in which this person signed in before; null: the browser is unknown. The caller has checked the mark. */
  mark: string | null
}

type ThrottleContext = Pick<DirectoryContext, 'store' | 'clock'>

interface Counted {
  id: string
  free: number
  waitMsMax: number
  /** Whether the counts after this one are left unchanged by tries beyond `free`. */
  isLastOver?: true
}

const { signIn } = limits

/** Counts a try, unless there were too many tries. Returns the time to wait, ms; 0: the try is permitted. */
export async function countTry({ store, clock }: ThrottleContext, tried: SignInTry): Promise<number> {
  const counted = countsOf(tried)
  const present = await store.get(
    'signInTries',
    counted.map(({ id }) => id),
  )
  const waits = counted.map((one, i) => waitOf(present[i] ?? null, tried, one, clock.now()))
  for (const one of counted) {
    if (Math.max(...waits) > 0) break
    const { waitMs, count } = await countOne({ store, clock }, one, tried)
    waits.push(waitMs)
    // A network that goes on after its free tries no longer adds to the count of the name, which delays people in other networks.
    if (one.isLastOver && count > one.free) break
  }
  return Math.max(...waits)
}

/**
 * Called after a successful try. Resets the counts of the name, but reduces the count of the network by only one. Otherwise an attacker with
 * one valid password could reset the count of a network.
 */
export async function forgiveTry({ store, clock }: ThrottleContext, tried: SignInTry): Promise<void> {
  const [network, ...others] = tried.mark === null ? countsOf(tried) : [null, ...countsOf(tried)]
  await store.delete(
    'signInTries',
    others.map(other => other?.id ?? ''),
  )
  if (network === null || network === undefined) return
  await changeGuarded(
    store,
    'signInTries',
    network.id,
    present => present && { ...present, count: Math.max(0, present.count - 1), blockedUntil: clock.now() },
  )
}

/**
 * Counts one try, or returns how long to wait, ms. `count`: number of tries with this one. Computes the wait again in the guarded write, because other tries may have
 * been counted since the caller's read.
 */
async function countOne({ store, clock }: ThrottleContext, counted: Counted, tried: SignInTry) {
  let waitMs = 0
  let count = 0
  await changeGuarded(store, 'signInTries', counted.id, present => {
    const now = clock.now()
    waitMs = waitOf(present, tried, counted, now)
    count = present?.count ?? 0
    if (waitMs > 0 || present?.attemptId === tried.attemptId) return null
    count = (present && present.expireAt > now ? present.count : 0) + 1
    const blockedUntil = now + waitAfter(count, counted)
    return { id: counted.id, rev: 0, count, attemptId: tried.attemptId, blockedUntil, expireAt: blockedUntil + signIn.forgetMs }
  })
  return { waitMs, count }
}

function waitOf(tries: SignInTriesDocument | null, { attemptId }: SignInTry, { waitMsMax }: Counted, now: number): number {
  if (tries === null || tries.attemptId === attemptId) return 0
  const waitMs = Math.max(0, tries.blockedUntil - now)
  // A wait longer than `waitMsMax` is ignored: a process whose clock was ahead has stored it.
  return waitMs > waitMsMax ? 0 : waitMs
}

const waitAfter = (count: number, { free, waitMsMax }: Counted): number =>
  count < free ? 0 : Math.min(signIn.waitMs * 2 ** Math.min(count - free, 30), waitMsMax)

/** Returns the counts of a try, in the order in which it is counted: of a known browser its own, else of the network first. */
function countsOf({ username, client, mark }: SignInTry): Counted[] {
  const name = digest(usernameOf(username))
  if (mark !== null) {
    return [{ id: `browser.${digest(mark)}`, free: signIn.triesPerName, waitMsMax: signIn.waitPerClientMsMax }]
  }
  const network = networkOf(client)
  return [
    { id: `client.${digest(network)}`, free: signIn.triesPerClient, waitMsMax: signIn.waitPerClientMsMax },
    {
      id: `pair.${digest(`${name} ${network}`)}`,
      free: signIn.triesPerName,
      waitMsMax: signIn.waitPerNameMsMax,
      isLastOver: true,
    },
    { id: `name.${name}`, free: signIn.triesPerNameInAll, waitMsMax: signIn.waitPerNameMsMax },
  ]
}

/** Returns the network of a client. Tries are counted by network, because one IPv6 client has 2^64 addresses. */
export const networkOf = (client: string): string => clientNetwork(withoutPort(client))

/** Removes the client's port. Some proxies add this port, and it differs for each connection. */
const withoutPort = (client: string): string => client.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')

/** Returns a hash, which is stored instead of the name or the address. */
const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32)
