// The client of the directory: requests by verb, with a result of the type that the contract gives the verb.
import { requestWithRetry } from '#shared/bus/clients/request-with-retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface DirectoryClient {
  /** Sends a request. Throws the directory's AppError, or `unavailable` after 4 s; a creating verb may then have been executed. */
  ask<V extends AskVerb>(verb: V, request: AskRequest<V>, traceId?: string): Promise<AskResults[V]>
}

export function createDirectoryClient(bus: Bus, clock: Clock): DirectoryClient {
  return {
    ask: async <V extends AskVerb>(verb: V, request: AskRequest<V>, traceId?: string) =>
      (await requestWithRetry(bus, clock, {
        who: 'directory',
        subject: subjects.ask(verb),
        body: request,
        traceId,
      })) as AskResults[V],
  }
}
