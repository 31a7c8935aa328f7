// Installation under attack: its processes, credentials of two locations, monitors of a website that changes, and the reports and state
// changes that follow from them.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import type { Test } from 'tap'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { websiteCheck } from '../../support/checks.ts'
import { freePort } from '../../support/free-ports.ts'
import { type Program, startProgram } from '../system.ts'

export interface Installation {
  dataFolder: string
  settings: Record<string, string>
  main: Program
  house: Bus
  port: number
  /** Opens a connection with the rights of Watchkeeper's own services. */
  bare(): Promise<NatsConnection>
}

/** Starts all services except probers, on a bus that other machines can reach. */
export async function startInstallation(t: Test): Promise<Installation> {
  const dataFolder = t.testdir({})
  const port = await freePort()
  const settings = {
    DATA_DIR: dataFolder,
    SERVICES: 'directory,keeper,notifier',
    NATS_LISTEN: '0.0.0.0',
    NATS_PORT: String(port),
    LOG_LEVEL: 'info',
    WEBSITE_CONFIRM_AFTER: '0s',
    WEBSITE_CLOSE_AFTER: '0s',
  }
  const main = await startProgram(settings)
  const { url, credentialsFile } = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
  const way = { servers: url, name: 'test', credentialsFile, ownMachine: true, declare: false }
  const house = await connectBus({ ...way, patienceMs: 5_000, logger: createLogger('silent') })
  t.teardown(async () => {
    await house.close()
    await main.kill()
  })
  const bare = () => connect({ servers: url, authenticator: credsAuthenticator(readFileSync(credentialsFile)), tls: null })
  return { dataFolder, settings, main, house, port, bare }
}

export interface Credential {
  id: string
  file: string
  locationId: string
}

/** Creates a location and a credential for it. */
export async function credentialFor({ house, dataFolder }: Installation, clock: Clock, name: string): Promise<Credential> {
  const { ask } = createDirectoryClient(house, clock)
  const { id: locationId } = await ask('ensure-location', { name })
  const made = await ask('create-prober-credential', { id: randomId(10), locationName: name, description: '' })
  const file = join(dataFolder, `${name}.creds`)
  writeFileSync(file, made.credentials)
  return { id: made.id, file, locationId }
}

/** Returns whether the bus accepts a client with the credentials. */
export async function admission({ port }: Installation, { file }: Credential): Promise<'in' | 'refused'> {
  try {
    const authenticator = credsAuthenticator(readFileSync(file))
    const connection = await connect({ servers: `127.0.0.1:${port}`, authenticator, reconnect: false })
    await connection.close()
    return 'in'
  } catch {
    return 'refused'
  }
}

export const monitors = 20
/**
 * Number of monitors that only the last location checks. The other monitors need a majority of two locations, and the first location has no
 * prober.
 */
export const judgedMonitors = monitors / 2

/**
 * Creates monitors that are checked each second, half of them only from the last location. Their website alternates between up and down.
 */
export async function watchWebsite(t: Test, house: Bus, clock: Clock, locations: string[]): Promise<{ hits(): number }> {
  let hits = 0
  const website = createServer((_, response) => {
    response.statusCode = Math.floor(hits++ / monitors) % 2 === 0 ? 200 : 503
    response.end('hello')
  }).listen(0, '127.0.0.1')
  await once(website, 'listening')
  t.teardown(() => {
    website.closeAllConnections()
    website.close()
  })
  const keeper = createKeeperClient(house, clock)
  for (let n = 0; n < monitors; n++) {
    const check = websiteCheck({
      url: `http://127.0.0.1:${(website.address() as AddressInfo).port}/`,
      locations: n % 2 ? locations : locations.slice(-1),
      interval_unit: 'SECOND',
    })
    const body = { kind: 'create-website', id: randomId(8), workspaceId: 'w', slug: `s${n}`, name: `s${n}`, check }
    await keeper.send(randomId(10), body as Command)
  }
  return { hits: () => hits }
}

/** A report or a state change, seen by a client on the bus. */
export interface Seen {
  subjectId: string
  /** Slot of the report, or instant of the change. */
  at: number
  seenAt: number
  /** Time from the end of the check, or from the state change, to the arrival of its message, ms. */
  delayMs: number
}

/** Returns the reports of a location in the observation stream, each slot once even if it was reported twice. */
export async function followReports(house: Bus, locationId: string): Promise<Seen[]> {
  const reports: Seen[] = []
  const known = new Set<string>()
  await house.subscribe(subjects.allObservations, ({ subject, body }) => {
    const { slotAt, phases } = body as CheckResult
    const address = parseObservation(subject, body)
    if (address?.locationId !== locationId) return
    const { subjectId } = address
    const seenAt = Date.now()
    if (known.has(`${subjectId} ${slotAt}`)) return
    known.add(`${subjectId} ${slotAt}`)
    reports.push({ subjectId, at: slotAt, seenAt, delayMs: Math.round(seenAt - slotAt - phases.totalMs) })
  })
  return reports
}

export async function followChanges(house: Bus): Promise<Seen[]> {
  const changes: Seen[] = []
  await house.subscribe(subjects.allStates, ({ body }) => {
    const { kind, transition, incident } = body as { kind: string; transition: HistoryDocument; incident: IncidentDocument }
    if (kind !== 'transition') return
    const seenAt = Date.now()
    changes.push({ subjectId: incident.subjectId, at: transition.at, seenAt, delayMs: Math.round(seenAt - transition.at) })
  })
  return changes
}

export const readyUrl = (program: Program): string => /metrics: (http:\S+\/readyz)/.exec(program.output())?.[1] ?? ''
