// The directory: owns accounts, keys, locations, names and destinations, and answers every question of shared/contracts/ask.ts from
// the store. Any number of processes share the questions by a queue group; none keeps anything that another needs.
import { Counter } from 'prom-client'
import { serve } from '#shared/bus/serve.ts'
import { parseAsk, subjects } from '#shared/bus/subjects.ts'
import { type AskRequest, type AskResults, type AskVerb, asks } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import type { Service, SurroundingsWithStore } from '#shared/service.ts'
import { StoreError } from '#shared/store/port.ts'
import { listWorkspaces } from './accounts.ts'
import type { DirectoryContext } from './context.ts'
import { createDestination, listDestinations } from './destinations.ts'
import { listOpenIncidents } from './incidents.ts'
import { authenticate, createKey, deleteKey, listKeys, touchKeys } from './keys.ts'
import { ensureLocation, listLocations } from './locations.ts'
import { reserveName } from './names.ts'
import { watchProbers } from './prober-presence.ts'
import { getSubject, listWebsites } from './subjects.ts'

type Answerers = { [V in AskVerb]: (context: DirectoryContext, request: AskRequest<V>) => Promise<AskResults[V]> }

const answerers: Answerers = {
  authenticate,
  'touch-keys': touchKeys,
  'list-workspaces': listWorkspaces,
  'list-locations': listLocations,
  'ensure-location': ensureLocation,
  'reserve-name': reserveName,
  'get-subject': getSubject,
  'list-websites': listWebsites,
  'list-open-incidents': listOpenIncidents,
  'create-destination': createDestination,
  'list-destinations': listDestinations,
  'create-key': createKey,
  'list-keys': listKeys,
  'delete-key': deleteKey,
}

/** Resolves once questions are answered. */
export async function startDirectory(surroundings: SurroundingsWithStore, options: { queue?: string } = {}): Promise<Service> {
  const { bus, clock, store, metrics } = surroundings
  const logger = surroundings.logger.child({ service: 'directory' })
  const probers = await watchProbers(bus.bucket('presence'), clock)
  const context: DirectoryContext = { store, bus, clock, activeWorkers: probers.activeWorkers }
  const asked = askCounter(metrics)
  const subscription = await serve(bus, {
    subject: subjects.allAsks,
    queue: options.queue ?? 'directory',
    contractOf: subject => (Object.hasOwn(asks, parseAsk(subject)) ? asks[parseAsk(subject) as AskVerb] : null),
    logger,
    serve: async (body, { subject, traceId }) => {
      const verb = parseAsk(subject) as AskVerb
      const outcome = await answer(context, verb, body).catch(error => {
        if (isUnavailable(error)) logger.warn({ err: error, verb, traceId }, 'the store did not answer a question')
        return asAppError(error)
      })
      asked.inc({ verb, outcome: outcome instanceof Error ? codeOf(outcome) : 'ok' })
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  })
  return {
    unready: () => (bus.connected() ? [] : ['The directory is cut off from the bus.']),
    stop: async () => {
      await subscription.close()
      await probers.close()
    },
  }
}

function answer(context: DirectoryContext, verb: AskVerb, body: unknown): Promise<unknown> {
  const answerer = answerers[verb] as (context: DirectoryContext, request: unknown) => Promise<unknown>
  return answerer(context, body)
}

const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.kind === 'unavailable'

/** A store that does not answer is worth another try; anything else keeps its own name. */
function asAppError(error: unknown): Error {
  if (isUnavailable(error)) return new AppError('unavailable', 'The store does not answer', { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

const codeOf = (error: Error): string => (error instanceof AppError ? error.code : 'internal')

function askCounter(metrics: SurroundingsWithStore['metrics']): Counter<'verb' | 'outcome'> {
  const name = 'watchkeeper_directory_asks_total'
  const present = metrics.getSingleMetric(name) as Counter<'verb' | 'outcome'> | undefined
  return (
    present ??
    new Counter({ name, help: 'Questions answered, by verb and outcome.', labelNames: ['verb', 'outcome'], registers: [metrics] })
  )
}
