// One request or command over the bus, retried until a response arrives or the time ends. A command contains an id, by which the keeper
// recognises a retry. A test message has no id, so it is retried only if no responder has received it.
import { Compile } from 'typebox/schema'
import { retry } from '#shared/async/retry.ts'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { Reply } from '#shared/contracts/ask/reply.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { newTraceId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'

const replies = Compile(Reply)
const { retryMs } = limits.request
/** Number of times that the pause doubles while the responder is busy. The pauses are 50, 100, 200, 400, 400 ms. */
const busyDoublings = 3

interface RetriedRequest {
  who: string
  subject: string
  body: unknown
  traceId?: string | undefined
  /** Total time, ms, for a request that must not be executed twice. This request is retried only if no responder has received it. */
  onceMs?: number
}

/**
 * Sends the request in attempts of 2 s (1 s in a cluster), for 4 s in total unless `onceMs` is set. `who` names the responder in the error.
 * Throws the responder's AppError. Throws `unavailable` if no response arrived in time; the request may have been executed.
 */
export async function requestWithRetry(bus: Bus, clock: Clock, asked: RetriedRequest): Promise<unknown> {
  const { who, subject, body, onceMs, traceId = newTraceId() } = asked
  const withinMs = onceMs ?? limits.request.totalMs
  let busy = 0
  let last: unknown
  const pauseMs = (_: number, error: unknown): number => {
    last = error
    if (error instanceof BusError) return error.kind === 'timeout' ? 0 : retryMs
    return retryMs * 2 ** Math.min(busy++, busyDoublings)
  }
  const attempt = async (leftMs: number): Promise<unknown> => {
    if (leftMs === 0) throw last ?? new BusError('timeout', 'no time is left')
    const reply = await bus.request(subject, body, { timeoutMs: Math.min(onceMs ?? bus.tryMs, leftMs), traceId })
    return resultOf(reply, who)
  }
  const mayPass = (error: unknown): boolean =>
    error instanceof BusError ? onceMs === undefined || error.kind === 'no_responders' : isBusy(error)
  try {
    return await retry(attempt, { clock, withinMs, pauseMs, mayPass })
  } catch (error) {
    if (error instanceof BusError) {
      throw new AppError('unavailable', `The ${who} does not answer`, { details: error.message, cause: error })
    }
    if (!isBusy(error)) throw error
    throw new AppError('unavailable', `The ${who} could not answer in time`, { details: error.details, cause: error })
  }
}

/** Returns the result in a reply. Throws the AppError in the reply, or `internal` if `reply` does not have the form of a reply. */
export function resultOf(reply: unknown, who: string): unknown {
  if (!replies.Check(reply)) throw new AppError('internal', `The response of the ${who} is not a reply`)
  if (reply.ok) return reply.result
  throw AppError.fromBody({ ...reply.error, code: reply.error.code as ErrorCode })
}

const isBusy = (error: unknown): error is AppError => error instanceof AppError && error.retryable
