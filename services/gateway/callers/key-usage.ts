// Instants of the last use of keys. They are collected here and sent to the directory in batches, so that not every use of a key causes a
// write.

import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface KeyUsage {
  used(keyId: string): void
  /** Sends the uses that were not sent yet. Waits only briefly for the directory, so that the gateway stops quickly. */
  stop(): Promise<void>
}

/**
 * `send` receives the instants of last use (ms since the epoch) by key id. A failed batch is dropped. If a key of the dropped batch is used
 * again, a later batch contains this later use.
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
