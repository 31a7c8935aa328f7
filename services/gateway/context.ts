// Context that every route gets: clients, caches and settings of the gateway.
import type { DirectoryClient, KeeperClient, NotifierClient, PreviewClient, ProberClient } from '#shared/bus/clients/clients.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Seals } from '#shared/secrecy/seals.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Audit } from './audit/audit.ts'
import type { KeyUsage } from './callers/key-usage.ts'
import type { Addresses, Identities } from './callers/token-memory.ts'
import type { CheckBounds } from './check-bounds.ts'
import type { Planner } from './configuration/planner.ts'
import type { EventHub } from './events/hub.ts'
import type { Forwarding } from './http/forwarding.ts'
import type { Pings } from './pings/pings.ts'
import type { LocationNames } from './subjects/location-names.ts'
import type { TryLimit } from './subjects/try-limit.ts'

export interface GatewayContext {
  directory: DirectoryClient
  keeper: KeeperClient
  previews: PreviewClient
  notifier: NotifierClient
  probers: ProberClient
  tries: TryLimit
  clock: Clock
  logger: Logger
  incidentIds: IncidentIds
  locationNames: LocationNames
  audit: Audit
  identities: Identities
  addresses: Addresses
  pings: Pings
  keyUsage: KeyUsage
  forwarding: Forwarding
  events: Pick<EventHub, 'open' | 'position'>
  planner: Planner
  checkBounds: CheckBounds
  /** Seals the secrets of checks; null: SECRETS_KEY is unset. */
  seals: Seals | null
  /** Address at which people reach this gateway (PUBLIC_URL). Null: PUBLIC_URL is unset, so the address comes from each request. */
  publicUrl: string | null
  /** Version of the product, returned by `GET /api/version`. */
  version: string
}
