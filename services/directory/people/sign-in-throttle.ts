// Delays after bad sign-ins, per name and per address, over all processes, forgotten after a while. A try is counted before its password is
// checked, so that a hundred at once are a hundred tries. A correct one is uncounted afterwards.
import { createHash } from 'node:crypto'
import type { SignInTriesDocument } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import { clientNetwork } from '#shared/net/client-network.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { usernameOf } from './fields.ts'

export interface SignInTry {
  username: string
  /** The address that it comes from, as the gateway sees it. */
  client: string
  /** Made once per try; its repeat is not counted again. */
  attemptId: string
}

type Context = Pick<DirectoryContext, 'store' | 'clock'>

interface Counted {
  id: string
  free: number
  waitMsMax: number
}

const { signIn } = limits

/** Counts a try. Answers how long to wait (ms) where there were too many, and counts nothing then; 0: go on. */
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

/** A try was right: the name begins anew; the address gets back this one try, or one good password would buy many bad ones. */
export async function forgiveTry({ store, clock }: Context, tried: SignInTry): Promise<void> {
  await store.delete('signInTries', [nameOf(tried).id])
  await changeGuarded(
    store,
    'signInTries',
    clientOf(tried).id,
    present => present && { ...present, count: Math.max(0, present.count - 1), blockedUntil: clock.now() },
  )
}

/** Another may have been counted since they were read: looked at again in the guarded write. */
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
  // Longer than anybody has to wait: it was counted by a clock that was ahead.
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

/** A person with IPv6 has 2^64 addresses: their network counts. */
export const networkOf = (client: string): string => clientNetwork(withoutPort(client))

/** Some proxies say the port too, which is another one with each connection. */
const withoutPort = (client: string): string => client.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')

/** Neither names nor addresses are kept as they are. */
const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32)
