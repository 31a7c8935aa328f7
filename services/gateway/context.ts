// What every route of the gateway works with.
import type { DirectoryClient } from '#shared/bus/ask-directory.ts'
import type { NotifierClient } from '#shared/bus/ask-notifier.ts'
import type { PreviewClient } from '#shared/bus/ask-preview.ts'
import type { KeeperClient } from '#shared/bus/command-keeper.ts'
import type { Clock } from '#shared/clock.ts'
import type { IncidentIds } from '#shared/incident-ids.ts'
import type { Logger } from '#shared/logger.ts'
import type { Audit } from './audit/audit.ts'
import type { Addresses, Identities } from './identities.ts'
import type { KeyUsage } from './key-usage.ts'
import type { LocationNames } from './location-names.ts'

export interface GatewayContext {
  directory: DirectoryClient
  keeper: KeeperClient
  previews: PreviewClient
  notifier: NotifierClient
  clock: Clock
  logger: Logger
  incidentIds: IncidentIds
  locationNames: LocationNames
  audit: Audit
  identities: Identities
  addresses: Addresses
  keyUsage: KeyUsage
  /** Where people reach this gateway (PUBLIC_URL); null: wherever their requests say. */
  publicUrl: string | null
  /** The product's version, as `GET /api/version` answers it. */
  version: string
}
