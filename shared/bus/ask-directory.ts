// The client of the directory: questions by verb, answered with the type that the contract gives the verb.
import { requestPatiently } from '#shared/bus/patient-request.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask.ts'

export interface DirectoryClient {
  /** Throws the directory's AppError, or `unavailable` after 4 s; then a verb that creates may have been carried out. */
  ask<V extends AskVerb>(verb: V, request: AskRequest<V>, traceId?: string): Promise<AskResults[V]>
}

export function createDirectoryClient(bus: Bus, clock: Clock): DirectoryClient {
  return {
    ask: async <V extends AskVerb>(verb: V, request: AskRequest<V>, traceId?: string) =>
      (await requestPatiently(bus, clock, {
        who: 'directory',
        subject: subjects.ask(verb),
        body: request,
        traceId,
      })) as AskResults[V],
  }
}
