// Condition about the disk under the store. The condition is raised while some space is left, so that the store can still write the
// condition. If this write fails, the process sends the message without a stored condition.

import { createHash } from 'node:crypto'
import { limits } from '#shared/limits/limits.ts'
import { type Room, StoreError } from '#shared/store/port.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { messageBody, type Notice, sizeText } from './message.ts'
import type { Outbox } from './outbox.ts'

const kind = 'storage_full'
const name = 'store'

export interface StorageWatcher extends Watcher {
  /** Returns the latest state of the disk; null: unknown. */
  room(): Room | null
  /** Returns the summary of a change whose message was sent but which could not be stored; null: there is no such change. */
  unnoted(): string | null
}

export function watchStorage(context: OperatorContext, conditions: Conditions, outbox: Outbox): StorageWatcher {
  const { store, clock, logger } = context
  let room: Room | null = null
  let unnoted: { since: number; notice: Notice } | null = null

  const becomeFull = async (at: Room) => {
    const full = { name, raised: true, since: clock.now(), notice: fullNotice(at) }
    try {
      await conditions.change(kind, '', present => (present?.raised === 1 ? null : full))
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      unnoted = full
      logger.warn({ condition: kind, name, ...full.notice.details }, full.notice.log)
      sendUnstored(full)
    }
  }
  const sendUnstored = ({ since, notice }: { since: number; notice: Notice }) => {
    if (context.receiver === null) return
    const body = messageBody({ id: kind, kind, name, raised: 1, since }, notice, context.source, since)
    const id = unstoredId(context.incidentSalt, conditions.byId(kind)?.rev ?? 0)
    outbox.sendUnstored({ id, type: notice.type, at: since, body })
  }
  const becomeRoomy = async (at: Room) => {
    const sent = unnoted
    await conditions.change(kind, '', present => {
      const since = present?.raised === 1 ? present.since : (sent?.since ?? null)
      return since === null ? null : cleared({ name, since }, roomNotice(at))
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
  }
}

/**
 * Returns the id of a message that is not stored. All processes that read the same revision of the condition compute the same id, so a
 * receiver recognises repeated messages.
 */
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
