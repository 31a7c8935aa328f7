// When keys were last used: collected here and told to the directory in batches, so that using a key costs no write.
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface KeyUsage {
  used(keyId: string): void
  /** Tells what is left, waiting for a moment only: it is not worth holding up a stop. */
  stop(): Promise<void>
}

/** `tell` gets key id to instant (ms). A batch that cannot be told is dropped: the next use says it again. */
export function createKeyUsage(clock: Clock, tell: (usedAt: Record<string, number>) => Promise<unknown>): KeyUsage {
  let usedAt = new Map<string, number>()
  let cancel: Cancel | null = null
  const flush = async (): Promise<void> => {
    cancel?.()
    cancel = null
    const batch = Object.fromEntries(usedAt)
    if (usedAt.size === 0) return
    usedAt = new Map()
    await tell(batch).catch(() => undefined)
  }
  return {
    used: keyId => {
      if (usedAt.size >= limits.key.cached && !usedAt.has(keyId)) return
      usedAt.set(keyId, clock.now())
      cancel ??= clock.after(limits.key.touchMs, () => void flush())
    },
    stop: () =>
      new Promise(resolve => {
        const forgetLimit = clock.after(limits.key.lastTouchMs, resolve)
        void flush().then(resolve).finally(forgetLimit)
      }),
  }
}
