// What a gateway is started with.
import type { Legacy } from './legacy.ts'
import type { SessionOptions } from './session/options.ts'
import type { ConnectionBounds } from './strangers.ts'

export interface GatewayOptions {
  /** The product's version: `GET /api/version` answers it, clients gate on it. */
  version: string
  /** From which public incident ids are derived (SQIDS_SALT, or the installation's own). */
  incidentSalt: string
  /** Absent: an installation on this machine, without OIDC. */
  session?: SessionOptions
  /** The proxies whose X-Forwarded-For is believed: addresses or networks; absent: none. */
  trustProxy?: string[]
  /** How many connections there may be; absent: the bounds of `shared/limits.ts`. */
  connections?: ConnectionBounds
  /** API_LEGACY; absent: generations 1 and 2 are served. */
  legacy?: Legacy
  /** False: nothing is audited, for a measurement that compares. Absent: as the API promises. */
  audit?: boolean
}
