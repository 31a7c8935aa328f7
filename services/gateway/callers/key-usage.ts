// Last use of keys. Uses are collected here and sent to the directory in batches, so the use of a key needs no write of its own.

import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface KeyUsage {
  used(keyId: string): void
  /** Sends the remaining uses and waits only briefly, so that they do not delay a stop. */
  stop(): Promise<void>
}

/**
 * `send` receives the instants of last use (ms since the epoch) by key id. A failed batch is dropped. The next use of each key is sent in a
 * later batch.
 */
export function createKeyUsage(clock: Clock, send: (usedAt: Record<string, number>) => Promise<unknown>): KeyUsage {
  let usedAt = new Map<string, number>()
  let cancel: Cancel | null = null
  const flush = async (): Promise<void> => {
    cancel?.()
    cancel = null
    const batch = Object.fromEntries(usedAt)
    if (usedAt.size === 0) return
    usedAt = new Map()
    await send(batch).catch(() => undefined)
  }
  return {
    used: keyId => {
      if (usedAt.size >= limits.key.cached && !usedAt.has(keyId)) return
      usedAt.set(keyId, clock.now())
      cancel ??= clock.schedule(limits.key.touchMs, () => void flush())
    },
    stop: async () => void (await waitAtMost(clock, limits.key.lastTouchMs, flush())),
  }
}
