// Directory service: owns accounts, keys, locations, names and destinations, and serves every request of shared/contracts/ask/ask.ts from
// the store. Any number of directories share the requests through a queue group, and none depends on the memory of another.
import { Counter } from 'prom-client'
import { type ServeOptions, serve } from '#shared/bus/clients/serve.ts'
import { BusError } from '#shared/bus/port.ts'
import type { ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import { watchProbers } from '#shared/bus/probers/prober-presence.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { withSealedDestinations } from '#shared/channels/sealed-destinations.ts'
import { type AskVerb, asks } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import { createSeals } from '#shared/secrecy/seals.ts'
import type { LevelledContext, Service, ServiceContextWithStore } from '#shared/service.ts'
import { levelOf } from '#shared/store/level.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { StoreError } from '#shared/store/port.ts'
import type { DefaultHolds } from '#shared/subjects/subject-view.ts'
import { announceDirectory } from './announce.ts'
import { answerers } from './answerers.ts'
import type { DirectoryContext } from './context.ts'
import { startExpiring } from './documents/expire.ts'
import { type Doors, startDoors } from './door/doors.ts'
import { createMembers } from './door/members.ts'
import { createAnnouncer } from './locations/announce-revocations.ts'
import { measureLiveProbers } from './locations/live-probers.ts'
import { startForgetting } from './notifications/former-secrets.ts'
import { createPasswords, type PasswordCost } from './people/passwords.ts'
import { startRemovingWorkspaces } from './people/remove-workspaces.ts'
import { createCheckRoom } from './resources/check-room.ts'
import { createResourceRoom } from './resources/resource-room.ts'
import { createRosters } from './roster/rosters.ts'
import { takeSeat } from './seat.ts'
import type { NewUserWorkspace } from './settings.ts'

/**
 * Requests that change locations. After one of these requests, every directory opens doors for new locations and closes doors of deleted
 * locations.
 */
const changesLocations = new Set<AskVerb>(['ensure-location', 'create-location', 'update-location', 'delete-location'])

export interface DirectoryOptions {
  /** Salt from which public incident ids are derived. If the salt is empty, requests may contain only internal ids. */
  incidentSalt?: string
  /** Confirmation delay and recovery delay of website monitors. By default, both are two minutes. */
  websiteHolds?: DefaultHolds
  /** Workspace of a new user; default: `own`. */
  newUserWorkspace?: NewUserWorkspace
  /** Queue group from which this process gets requests; default: `directory`. */
  queue?: string
  /** True: other directories can run, so this one leaves the queue while its store does not respond. Default: false. */
  hasPeers?: boolean
  /** Cost of a password hash; default: `limits.password`. Tests use a lower cost. */
  passwordCost?: PasswordCost
  /**
   * Keys of sealed secrets (SECRETS_KEY); absent or empty: probers on other machines get none opened, none is
   * sealed anew, and those of destinations are stored as they are.
   */
  secretsKey?: string
  /** Issuer of prober credentials; null or absent if the bus has no keys that sign credentials. */
  proberIssuer?: ProberIssuer | null
}

/** `level` absent: every process is of this version. */
type DirectoryServiceContext = ServiceContextWithStore & Partial<Pick<LevelledContext, 'level'>>

/** Resolves when the directory serves requests. */
export async function startDirectory(serviceContext: DirectoryServiceContext, options: DirectoryOptions = {}): Promise<Service> {
  const { bus, clock, metrics, level = levelOf(latestNumber(migrations)) } = serviceContext
  const seals = createSeals(options.secretsKey ?? '')
  const store = withSealedDestinations(serviceContext.store, seals)
  const logger = serviceContext.logger.child({ service: 'directory' })
  let doors: Doors | null = null
  const members = createMembers(clock, locationId => doors?.wakeForMembers(locationId))
  const presence = await watchProbers(bus.bucket('presence'), clock, members.hear)
  const issuer = options.proberIssuer ?? null
  const announcer = issuer && createAnnouncer({ issuer, store, bus, clock, logger })
  const { activeWorkers, lastSeenAt, probersAt } = presence
  measureLiveProbers(metrics, store, activeWorkers)
  const { incidentSalt = '', websiteHolds, newUserWorkspace = 'own' } = options
  const passwords = createPasswords(options.passwordCost)
  const shown = { incidentSalt, websiteHolds, newUserWorkspace, activeWorkers, lastSeenAt, probersAt }
  const removing = startRemovingWorkspaces({ store, bus, clock, logger })
  const rosters = createRosters({ store, bus, clock, logger }, metrics)
  const requireRoom = createResourceRoom({ store, clock })
  const takeCheckRoom = createCheckRoom({ store, clock })
  const made = { passwords, announcer, removeWorkspaces: removing.soon, requireRoom, takeCheckRoom, rosters, seals }
  const context: DirectoryContext = { store, level, bus, clock, logger, ...shown, ...made }
  doors = await startDoors({ bus, store, clock, logger, metrics, members, seals, level })
  const stopExpiring = startExpiring(store, clock, logger)
  const stopForgetting = startForgetting(store, clock, logger)
  const asked = registeredMetric(metrics, 'watchkeeper_directory_asks_total', name => {
    const help = 'Questions answered, by verb and outcome.'
    return new Counter({ name, help, labelNames: ['verb', 'outcome'], registers: [metrics] })
  })
  const serving: ServeOptions = {
    subject: subjects.allAsks,
    queue: options.queue ?? 'directory',
    contractOf: subject => (Object.hasOwn(asks, parseVerb(subject)) ? asks[parseVerb(subject) as AskVerb] : null),
    logger,
    serve: async (body, { subject, traceId }) => {
      const verb = parseVerb(subject) as AskVerb
      const answer = answerers[verb] as (context: DirectoryContext, request: unknown) => Promise<unknown>
      const outcome = await answer(context, body).catch(error => {
        if (isUnavailable(error))
          logger.warn({ err: error, verb, traceId }, 'request failed because the store or the bus is unavailable')
        return asAppError(error)
      })
      asked.inc({ verb, outcome: outcome instanceof Error ? codeOf(outcome) : 'ok' })
      if (outcome instanceof Error) throw outcome
      if (changesLocations.has(verb)) bus.publish(subjects.doorNudge, {})
      return outcome
    },
  }
  const { hasPeers = false } = options
  const withdraw = hasPeers ? announceDirectory({ bus, clock, logger }) : null
  const seat = await takeSeat({ store, clock, logger, hasPeers, serve: () => serve(bus, serving) })
  return {
    unready: () => [
      ...(bus.connected() ? [] : ['The directory is cut off from the bus.']),
      ...(seat.isTaken() ? [] : ['The directory cannot reach the store.']),
    ],
    stop: async () => {
      stopExpiring()
      stopForgetting()
      await removing.stop()
      announcer?.stop()
      await seat.stop()
      await withdraw?.()
      await rosters.stop()
      await doors?.stop()
      await presence.close()
    },
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof BusError || (error instanceof StoreError && error.kind === 'unavailable')

/** Returns a retryable error if the store or the bus is unavailable, else the error itself. */
function asAppError(error: unknown): Error {
  if (isUnavailable(error)) {
    const who = error instanceof BusError ? 'bus' : 'store'
    return new AppError('unavailable', `The ${who} does not answer`, { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

const codeOf = (error: Error): string => (error instanceof AppError ? error.code : 'internal')
