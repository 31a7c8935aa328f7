// Answers that are waited for, by their keys: each comes once, is refused when its time is over, or is refused with all others when the
// connection is lost. One timer serves all of them.
import { BusError } from '#shared/bus/port.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

interface Waiter<A> {
  resolve(answer: A): void
  reject(error: BusError): void
  /** On the monotonic clock. */
  expiresAt: number
}

export interface WaitingAnswers<K, A> {
  /** Resolves to the answer; rejects with a BusError (timeout, unavailable). `timeoutMs` is exceeded by `limits.bus.sweepMs` at most. */
  wait(key: K, timeoutMs: number): Promise<A>
  isWaiting(key: K): boolean
  /** Does nothing where nobody waits for it any more, as `refuse` does. */
  answer(key: K, answer: A): void
  refuse(key: K, error: BusError): void
  /** Refuses whatever waits as unavailable: the connection to the bus was lost. */
  refuseAll(): void
  /** Refuses whatever waits, and looks at no timeout any more. */
  close(): void
}

export function createWaitingAnswers<K, A>(clock: Clock): WaitingAnswers<K, A> {
  const waiting = new Map<K, Waiter<A>>()
  let cancelSweep: Cancel | null = null

  const take = (key: K): Waiter<A> | undefined => {
    const waiter = waiting.get(key)
    waiting.delete(key)
    return waiter
  }
  const sweep = () => {
    cancelSweep = null
    const now = clock.monotonic()
    for (const [key, waiter] of waiting) {
      if (waiter.expiresAt > now) continue
      waiting.delete(key)
      waiter.reject(new BusError('timeout', 'No answer came in time.'))
    }
    if (waiting.size > 0) cancelSweep = clock.after(limits.bus.sweepMs, sweep)
  }
  const refuseAll = () => {
    const refused = [...waiting.values()]
    waiting.clear()
    for (const waiter of refused) waiter.reject(new BusError('unavailable', 'The connection to the bus was lost.'))
  }
  return {
    wait: (key, timeoutMs) =>
      new Promise((resolve, reject) => {
        waiting.set(key, { resolve, reject, expiresAt: clock.monotonic() + timeoutMs })
        cancelSweep ??= clock.after(limits.bus.sweepMs, sweep)
      }),
    isWaiting: key => waiting.has(key),
    answer: (key, answer) => take(key)?.resolve(answer),
    refuse: (key, error) => take(key)?.reject(error),
    refuseAll,
    close: () => {
      refuseAll()
      cancelSweep?.()
      cancelSweep = null
    },
  }
}
