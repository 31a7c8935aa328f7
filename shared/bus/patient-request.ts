// One question or command over the bus until it is answered or its time is up: what the clients of the directory, of the keepers
// and of the notifiers have in common. Repeating is harmless where what is sent carries its identity; a test message has none.
import { Compile } from 'typebox/compile'
import { type Bus, BusError } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import { Reply } from '#shared/contracts/reply.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { newTraceId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'

const replies = Compile(Reply)
const { retryMs } = limits.request
/** An end that says it is busy is asked again after growing pauses: 50, 100, 200, 400, 400 ms. */
const busyDoublings = 3

interface Asked {
  who: string
  subject: string
  body: unknown
  traceId?: string | undefined
  /** Set for what must not be carried out twice: within this time, and tried again only where nobody has taken it. */
  onceMs?: number
}

/**
 * Tries of 2 s each, in a cluster of 1 s, 4 s in all, where nothing else is said. `who` names the far end in the error.
 * Throws the far end's AppError; `unavailable` where it did not answer in time, in which case the outcome is unknown.
 */
export async function requestPatiently(bus: Bus, clock: Clock, asked: Asked): Promise<unknown> {
  const tryMs = asked.onceMs ?? bus.tryMs
  const totalMs = asked.onceMs ?? limits.request.totalMs
  const traceId = asked.traceId ?? newTraceId()
  const giveUpAt = clock.monotonic() + totalMs
  let last: AppError | null = null
  for (let busy = 0; ; ) {
    const leftMs = giveUpAt - clock.monotonic()
    if (leftMs <= 0) throw last ?? new AppError('unavailable', `The ${asked.who} does not answer`)
    let pauseMs: number = retryMs
    try {
      const reply = await bus.request(asked.subject, asked.body, { timeoutMs: Math.min(tryMs, leftMs), traceId })
      if (!replies.Check(reply)) throw new AppError('internal', `The ${asked.who} answered something else than a reply`)
      if (reply.ok) return reply.result
      const refusal = AppError.fromBody({ ...reply.error, code: reply.error.code as ErrorCode })
      if (!refusal.retryable) throw refusal
      last = new AppError('unavailable', `The ${asked.who} could not answer in time`, {
        details: refusal.details,
        cause: refusal,
      })
      pauseMs = retryMs * 2 ** Math.min(busy, busyDoublings)
      busy += 1
    } catch (error) {
      if (!(error instanceof BusError)) throw error
      last = new AppError('unavailable', `The ${asked.who} does not answer`, { details: error.message, cause: error })
      if (asked.onceMs !== undefined && error.kind !== 'no_responders') throw last
      if (error.kind === 'timeout') continue
    }
    await new Promise<void>(resolve => clock.after(Math.min(pauseMs, Math.max(0, giveUpAt - clock.monotonic())), resolve))
  }
}
