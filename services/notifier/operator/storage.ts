// The disk under the store: full when little of it is left, so that the operator hears of it while the store can still note it. If the
// store cannot, this process notifies on its own.
import { createHash } from 'node:crypto'
import { limits } from '#shared/limits/limits.ts'
import { type Room, StoreError } from '#shared/store/port.ts'
import type { Change } from './conditions.ts'
import type { Watcher, Watching } from './context.ts'
import { messageBody, type Notice, sizeText } from './message.ts'
import type { Outbox } from './outbox.ts'

const kind = 'storage_full'
const name = 'store'

export interface StorageWatcher extends Watcher {
  /** The disk as it was last looked at; null: unknown. */
  room(): Room | null
  /** Change that was sent and could not be noted in the store; null: none. */
  unnoted(): string | null
}

export function watchStorage({ context, conditions, alter }: Watching, outbox: Outbox): StorageWatcher {
  const { store, clock, logger } = context
  let room: Room | null = null
  let unnoted: { since: number; notice: Notice } | null = null

  const becomeFull = async (at: Room) => {
    const full = { name, raised: true, since: clock.now(), notice: fullNotice(at) }
    try {
      await alter(kind, '', present => (present?.raised === 1 ? null : full))
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      unnoted = full
      logger.warn({ condition: kind, name, ...full.notice.details }, full.notice.log)
      tell(full)
    }
  }
  const tell = ({ since, notice }: { since: number; notice: Notice }) => {
    if (context.webhook === null) return
    const body = messageBody({ id: kind, kind, name, raised: 1, since }, notice, context.source, since)
    const id = unstoredId(context.incidentSalt, conditions.byId(kind)?.rev ?? 0)
    outbox.sendUnstored({ id, type: notice.type, at: since, body })
  }
  const becomeRoomy = async (at: Room) => {
    const told = unnoted
    const roomy = (since: number): Change => ({ name, raised: false, since, notice: roomNotice(at) })
    await alter(kind, '', present => {
      if (present?.raised === 1) return roomy(present.since)
      return told === null ? null : roomy(told.since)
    })
    unnoted = null
  }
  return {
    room: () => room,
    unnoted: () => unnoted?.notice.summary ?? null,
    look: async () => {
      room = await store.room()
      if (room === null) return
      const isRaised = unnoted !== null || conditions.byId(kind)?.raised === 1
      const least = Math.min(limits.operator.diskFreeBytes, room.totalBytes * limits.operator.diskShare)
      if (!isRaised && room.freeBytes < least) await becomeFull(room)
      else if (isRaised && room.freeBytes >= 2 * least) await becomeRoomy(room)
    },
    stop: async () => undefined,
  }
}

/** The same from every process that finds the store in this state, so that a receiver knows a second one. */
const unstoredId = (salt: string, rev: number): string =>
  `msg_${createHash('sha256').update(`${salt}:${kind}:${rev}`).digest('base64url').slice(0, 27)}`

const fullNotice = (room: Room): Notice => ({
  type: 'storage.full',
  summary: `The disk under the store has ${sizeText(room.freeBytes)} of ${sizeText(room.totalBytes)} left: make room.`,
  log: 'disk under the store full',
  details: { free_bytes: room.freeBytes, total_bytes: room.totalBytes },
})

const roomNotice = (room: Room): Notice => ({
  type: 'storage.room',
  summary: `The disk under the store has room again: ${sizeText(room.freeBytes)} of ${sizeText(room.totalBytes)}.`,
  log: 'disk under the store has room again',
  details: { free_bytes: room.freeBytes, total_bytes: room.totalBytes },
})
