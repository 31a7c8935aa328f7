// Server of requests on a subject: checks each request against its contract, bounds the number of running requests, and turns every outcome
// into a reply. Details of internal errors stay in the log.
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import type { Bus, Incoming, Subscription } from '#shared/bus/port.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { firstFault } from '#shared/text/first-fault.ts'

export interface ServeOptions {
  subject: string
  /** Name of a queue. Only one member of the queue gets each request. */
  queue?: string
  /** Returns the contract for requests to this subject; null: no request has this subject. */
  contractOf(subject: string): TSchema | null
  /**
   * Handles a request that fits its contract, and returns the result. If it throws an AppError, this error is the reply; for any other
   * error the reply is `internal`.
   */
  serve(body: unknown, request: { subject: string; traceId: string }): Promise<unknown>
  logger: Logger
  /** Function that subscribes to the requests; by default `bus.subscribe`. */
  subscribe?(take: (message: Incoming) => void): Promise<Subscription>
}

/** Resolves when the subscription is in place. `close` waits for the running requests. */
export async function serve(bus: Bus, options: ServeOptions): Promise<Subscription> {
  const running = new Set<Promise<void>>()
  const validators = new Map<TSchema, Validator>()

  const validatorOf = (contract: TSchema): Validator => {
    const validator = validators.get(contract) ?? (Compile(contract) as unknown as Validator)
    validators.set(contract, validator)
    return validator
  }
  const answer = async ({ subject, body, traceId }: Incoming): Promise<Reply> => {
    try {
      const contract = options.contractOf(subject)
      if (!contract) throw new AppError('not_found', 'Unknown request')
      const validator = validatorOf(contract)
      if (!validator.Check(body))
        throw new AppError('malformed', 'Invalid request', { details: firstFault(validator, body, 'The request') })
      return { ok: true, result: await options.serve(body, { subject, traceId }) }
    } catch (error) {
      if (error instanceof AppError) return refusal(error)
      options.logger.error({ err: error, subject, traceId }, 'request could not be served')
      return refusal(new AppError('internal', 'Internal error'))
    }
  }
  const take = (message: Incoming) => {
    if (running.size >= limits.bus.servedAtOnce) {
      message.respond(refusal(new AppError('busy', 'Too many requests at once')))
      return
    }
    const work = answer(message).then(reply => message.respond(reply))
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  const queued = options.queue === undefined ? {} : { queue: options.queue }
  const subscription = await (options.subscribe?.(take) ?? bus.subscribe(options.subject, take, queued))
  return {
    close: async () => {
      await subscription.close()
      await Promise.all(running)
    },
  }
}

const refusal = (error: AppError): Reply => ({ ok: false, error: error.toBody() })
