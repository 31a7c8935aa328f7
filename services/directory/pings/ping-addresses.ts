// Ping addresses of the scheduled signals of Resources. An address is made when somebody first asks for it, because nobody can ping an
// address that nobody has seen. Reference: docs/reference/v3.md, 17.5.
import { randomUUID } from 'node:crypto'
import type { PingDocument } from '#shared/contracts/account.ts'
import type { PingAddress } from '#shared/contracts/ask/ask-pings.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { contention } from '../documents/guarded.ts'
import { pick } from '../documents/pick.ts'
import { revoke } from '../keys/revoke.ts'

/** Two requests at once get the same addresses: a signal has at most one, and the first insert wins. */
export const listPingAddresses: AskAnswerer<'list-ping-addresses', 'store' | 'clock'> = async ({ store, clock }, request) => {
  const { workspaceId, subjectId, signals } = request
  const present = await addressesOf(store, subjectId)
  const missing = signals.filter(signal => !present.some(one => one.signal === signal))
  if (missing.length === 0) return signals.map(signal => addressIn(present, signal))
  const createdAt = clock.now()
  const minted = missing.map(signal => ({
    ...{ id: randomUUID() as string, rev: 1, workspaceId, subjectId, signal },
    ...{ pushToken: randomId(idLength.pushToken), createdAt },
  }))
  await store.insert('pings', minted)
  const now = await addressesOf(store, subjectId)
  return signals.map(signal => addressIn(now, signal))
}

/**
 * The old address is deleted before the new one is stored. After a crash in between, the signal has none until somebody asks for it. Of two
 * rotations at once, both return the address of the first.
 */
export const rotatePingAddress: AskAnswerer<'rotate-ping-address', 'store' | 'bus' | 'clock' | 'logger'> = async (
  context,
  request,
) => {
  const { store, clock, logger } = context
  const { workspaceId, subjectId, signal, id } = request
  const old = await addressOf(store, subjectId, signal)
  if (old?.id !== id) {
    if (old !== null) await store.delete('pings', [old.id])
    const [result] = await store.insert('pings', [{ rev: 1, ...request, createdAt: clock.now() }])
    if (result === 'written') logger.info({ workspaceId, subjectId, signal }, 'ping address rotated')
  }
  const now = await addressOf(store, subjectId, signal)
  await revoke(context, 'ping', subjectId)
  if (now === null) throw contention('the address was changed too often at once; try again')
  return viewOf(now)
}

export const reservePingAddress: AskAnswerer<'reserve-ping-address', 'store' | 'clock'> = async (context, request) => {
  const { store, clock } = context
  const { subjectId, id, pushToken } = request
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [result] = await store.insert('pings', [{ rev: 1, ...request, createdAt: clock.now() }])
    if (result === 'written') return null
    const [byId = null] = await store.get('pings', [id])
    if (byId?.subjectId === subjectId) return null
    const [byToken = null] = await store.find('pings', { where: { pushToken }, limit: 1 })
    for (const [holder, field] of [[byId, 'ping_id'] as const, [byToken, 'push_token'] as const]) {
      if (holder === null) continue
      if (!(await isLapsed(context, holder))) throw taken(field)
      await store.delete('pings', [holder.id])
    }
  }
  throw contention('the address was reserved too often at once; try again')
}

export const releasePingAddress: AskAnswerer<'release-ping-address', 'store'> = async ({ store }, { subjectId, id }) => {
  const [present = null] = await store.get('pings', [id])
  if (present?.subjectId === subjectId) await store.delete('pings', [id])
  return null
}

/** Whether the Resource of an address is deleted, or was never created, a minute after the address was stored. */
async function isLapsed({ store, clock }: Pick<DirectoryContext, 'store' | 'clock'>, ping: PingDocument): Promise<boolean> {
  const where = { id: ping.subjectId }
  const [subject] = await store.find('subjects', { where, limit: 1, select: ['deletedAt'] })
  return subject === undefined ? ping.createdAt < clock.now() - limits.directory.reservationMs : subject.deletedAt !== null
}

const taken = (field: 'ping_id' | 'push_token') =>
  refusal('taken', 'Ping address taken', `Another Resource has this ${field}: choose another one`, field)

const addressesOf = (store: Store, subjectId: string): Promise<PingDocument[]> =>
  store.find('pings', { where: { subjectId }, limit: limits.pings.addressesPerResource })

async function addressOf(store: Store, subjectId: string, signal: string): Promise<PingDocument | null> {
  const [found = null] = await store.find('pings', { where: { subjectId, signal }, limit: 1 })
  return found
}

function addressIn(present: readonly PingDocument[], signal: string): PingAddress {
  const found = present.find(one => one.signal === signal)
  if (found === undefined) throw contention('the address was changed at once; try again')
  return viewOf(found)
}

const viewOf = (ping: PingDocument): PingAddress => pick(ping, ['id', 'signal', 'pushToken'])
