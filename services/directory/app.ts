// The directory: owns accounts, keys, locations, names and destinations, and answers every question of shared/contracts/ask/ask.ts from
// the store. Any number of processes share the questions by a queue group; none keeps anything that another needs.
import { Counter } from 'prom-client'
import { serve } from '#shared/bus/clients/serve.ts'
import { BusError } from '#shared/bus/port.ts'
import type { ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import { watchProbers } from '#shared/bus/probers/prober-presence.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { type AskRequest, type AskResults, type AskVerb, asks } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { Service, ServiceContextWithStore } from '#shared/service.ts'
import { StoreError } from '#shared/store/port.ts'
import type { DefaultHolds } from '#shared/subjects/subject-view.ts'
import { auditAnswerers } from './audit/answer-audit.ts'
import type { DirectoryContext } from './context.ts'
import { startExpiring } from './documents/expire.ts'
import { type Doors, startDoors } from './door/doors.ts'
import { createMembers } from './door/members.ts'
import { incidentAnswerers } from './incidents/answer-incidents.ts'
import { listConditions } from './incidents/conditions.ts'
import { getIncidentRecords } from './incidents/incident-records.ts'
import { getIncident, listOpenIncidents } from './incidents/incidents.ts'
import { addressAnswerers } from './keys/answer-addresses.ts'
import { authenticate, touchKeys } from './keys/keys.ts'
import { createAnnouncer } from './locations/announce-revocations.ts'
import { measureLiveProbers } from './locations/live-probers.ts'
import { ensureLocation, listLocations } from './locations/locations.ts'
import { createProberCredential, deleteProberCredential, listProberCredentials } from './locations/prober-credentials.ts'
import { notificationAnswerers } from './notifications/answer-notifications.ts'
import { deleteDestinationSecret, rotateDestinationSecret } from './notifications/destination-secrets.ts'
import { peopleAnswerers } from './people/answer-people.ts'
import { createPasswords, type PasswordCost } from './people/passwords.ts'
import { startRemovingWorkspaces } from './people/remove-workspaces.ts'
import { listWorkspaces } from './people/workspaces.ts'
import { resourceAnswerers } from './resources/answer-resources.ts'
import { createResourceRoom } from './resources/resource-room.ts'
import { createRosters } from './roster/rosters.ts'
import type { NewUserWorkspace } from './settings.ts'
import { getBands } from './subjects/bands.ts'
import { getFigures } from './subjects/figures.ts'
import { getMonitor } from './subjects/monitor-state.ts'
import { reserveName } from './subjects/names.ts'
import { getOverview } from './subjects/overview.ts'
import { getRollUps } from './subjects/roll-ups.ts'
import { findSubjects, getSubject, listCustomSubjects, listWebsites, workspaceExists } from './subjects/subjects.ts'
import { templateAnswerers } from './templates/answer-templates.ts'

/** After these, all directories look which doors there must be. */
const changesLocations: ReadonlySet<AskVerb> = new Set([
  'ensure-location',
  'create-location',
  'update-location',
  'delete-location',
] as const)

type Answerers = { [V in AskVerb]: (context: DirectoryContext, request: AskRequest<V>) => Promise<AskResults[V]> }

const answerers: Answerers = {
  authenticate,
  'touch-keys': touchKeys,
  'list-workspaces': listWorkspaces,
  'list-locations': listLocations,
  'ensure-location': ensureLocation,
  'reserve-name': reserveName,
  'get-subject': getSubject,
  'workspace-exists': workspaceExists,
  'list-websites': listWebsites,
  'list-custom-subjects': listCustomSubjects,
  'find-subjects': findSubjects,
  'list-open-incidents': listOpenIncidents,
  'get-incident': getIncident,
  'get-incident-records': getIncidentRecords,
  'get-roll-ups': getRollUps,
  'get-overview': getOverview,
  'list-conditions': listConditions,
  'get-monitor': getMonitor,
  'get-bands': getBands,
  'get-figures': getFigures,
  'list-roster': ({ rosters }, request) => rosters.page(request),
  'rotate-destination-secret': rotateDestinationSecret,
  'delete-destination-secret': deleteDestinationSecret,
  ...notificationAnswerers,
  ...peopleAnswerers,
  ...templateAnswerers,
  ...resourceAnswerers,
  ...incidentAnswerers,
  ...auditAnswerers,
  ...addressAnswerers,
  'create-prober-credential': createProberCredential,
  'list-prober-credentials': listProberCredentials,
  'delete-prober-credential': deleteProberCredential,
}

export interface DirectoryOptions {
  /** From which public incident ids are derived; empty: only internal ids are understood. */
  incidentSalt?: string
  /** Absent: two minutes each. */
  websiteHolds?: DefaultHolds
  /** Absent: `own`. */
  newUserWorkspace?: NewUserWorkspace
  queue?: string
  /** Absent: `limits.password`. Tests that are not about passwords hash at a lower cost. */
  passwordCost?: PasswordCost
  /** Null or absent: this bus has no keys to make probers' credentials with. */
  proberIssuer?: ProberIssuer | null
}

/** Resolves once questions are answered. */
export async function startDirectory(serviceContext: ServiceContextWithStore, options: DirectoryOptions = {}): Promise<Service> {
  const { bus, clock, store, metrics } = serviceContext
  const logger = serviceContext.logger.child({ service: 'directory' })
  let doors: Doors | null = null
  const members = createMembers(clock, locationId => doors?.tellMembers(locationId))
  const presence = await watchProbers(bus.bucket('presence'), clock, members.hear)
  const issuer = options.proberIssuer ?? null
  const announcer = issuer && createAnnouncer({ issuer, store, bus, clock, logger })
  const { activeWorkers, lastSeenAt } = presence
  measureLiveProbers(metrics, store, activeWorkers)
  const { incidentSalt = '', websiteHolds, newUserWorkspace = 'own' } = options
  const passwords = createPasswords(options.passwordCost)
  const shown = { incidentSalt, websiteHolds, newUserWorkspace, activeWorkers, lastSeenAt }
  const removing = startRemovingWorkspaces({ store, bus, clock, logger })
  const rosters = createRosters({ store, bus, clock, logger }, metrics)
  const requireRoom = createResourceRoom({ store, clock })
  const made = { passwords, announcer, removeWorkspaces: removing.soon, requireRoom, rosters }
  const context: DirectoryContext = { store, bus, clock, logger, ...shown, ...made }
  doors = await startDoors({ bus, store, clock, logger, metrics, members })
  const stopExpiring = startExpiring(store, clock, logger)
  const asked = askCounter(metrics)
  const subscription = await serve(bus, {
    subject: subjects.allAsks,
    queue: options.queue ?? 'directory',
    contractOf: subject => (Object.hasOwn(asks, parseVerb(subject)) ? asks[parseVerb(subject) as AskVerb] : null),
    logger,
    serve: async (body, { subject, traceId }) => {
      const verb = parseVerb(subject) as AskVerb
      const outcome = await answer(context, verb, body).catch(error => {
        if (isUnavailable(error)) logger.warn({ err: error, verb, traceId }, 'store or bus does not answer a question')
        return asAppError(error)
      })
      asked.inc({ verb, outcome: outcome instanceof Error ? codeOf(outcome) : 'ok' })
      if (outcome instanceof Error) throw outcome
      if (changesLocations.has(verb)) bus.publish(subjects.doorNudge, {})
      return outcome
    },
  })
  return {
    unready: () => (bus.connected() ? [] : ['The directory is cut off from the bus.']),
    stop: async () => {
      stopExpiring()
      await removing.stop()
      announcer?.stop()
      await subscription.close()
      await rosters.stop()
      await doors?.stop()
      await presence.close()
    },
  }
}

function answer(context: DirectoryContext, verb: AskVerb, body: unknown): Promise<unknown> {
  const answerer = answerers[verb] as (context: DirectoryContext, request: unknown) => Promise<unknown>
  return answerer(context, body)
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof BusError || (error instanceof StoreError && error.kind === 'unavailable')

/** A store or a bus that does not answer is worth another try; anything else keeps its own name. */
function asAppError(error: unknown): Error {
  if (isUnavailable(error)) {
    const who = error instanceof BusError ? 'bus' : 'store'
    return new AppError('unavailable', `The ${who} does not answer`, { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

const codeOf = (error: Error): string => (error instanceof AppError ? error.code : 'internal')

function askCounter(metrics: ServiceContextWithStore['metrics']): Counter<'verb' | 'outcome'> {
  const name = 'watchkeeper_directory_asks_total'
  const help = 'Questions answered, by verb and outcome.'
  const make = () => new Counter({ name, help, labelNames: ['verb', 'outcome'], registers: [metrics] })
  return registeredMetric(metrics, name, make)
}
