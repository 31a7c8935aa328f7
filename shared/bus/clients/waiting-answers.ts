// Table of calls that wait for a response, by key. A call ends with its response or with a timeout. When the connection is lost, all
// waiting calls are rejected. One timer serves the whole table.
import { BusError } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

interface Waiter<A> {
  resolve(answer: A): void
  reject(error: BusError): void
  /** Instant of the timeout on the monotonic clock. */
  expiresAt: number
}

export interface WaitingAnswers<K, A> {
  /** Resolves to the response; rejects with a BusError (timeout, unavailable). A timeout may be up to `limits.bus.sweepMs` late. */
  wait(key: K, timeoutMs: number): Promise<A>
  isWaiting(key: K): boolean
  /** Resolves the call that waits for this key. `refuse` rejects this call. Both do nothing if no call waits for the key. */
  answer(key: K, answer: A): void
  refuse(key: K, error: BusError): void
  /** Rejects all waiting calls as unavailable, because the connection to the bus was lost. */
  refuseAll(): void
  /** Rejects all waiting calls and stops the timer. */
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
    if (waiting.size > 0) cancelSweep = clock.schedule(limits.bus.sweepMs, sweep)
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
        cancelSweep ??= clock.schedule(limits.bus.sweepMs, sweep)
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
