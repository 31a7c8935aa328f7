// Options for starting a gateway.

import type { CheckBounds } from './check-bounds.ts'
import type { Assets } from './dashboard/assets.ts'
import type { ConnectionBounds } from './http/connections.ts'
import type { PingOptions } from './pings/ping-options.ts'
import type { SessionOptions } from './session/caller/options.ts'

/** Values of API_LEGACY. `serve`: generations 1 and 2 of the API are served. `gone`: they are switched off. */
export const legacies = ['serve', 'gone'] as const
export type Legacy = (typeof legacies)[number]

export interface GatewayOptions {
  /** Version of the product, returned by `GET /api/version`. Clients depend on it. */
  version: string
  /** Salt from which public incident ids are derived (SQIDS_SALT, or the installation's own salt). */
  incidentSalt: string
  /** Keys of sealed secrets (SECRETS_KEY). Absent or empty: secrets of checks are refused. */
  secretsKey?: string
  /** Options of the session API. Absent: the options of an installation on this machine without OIDC. */
  session?: SessionOptions
  /** Proxies whose X-Forwarded-For is trusted: addresses or networks. Absent: no proxy is trusted. */
  trustProxy?: string[]
  /** Bounds of the number of connections. Absent: the bounds in `shared/limits/limits.ts` apply. */
  connections?: ConnectionBounds
  /** Largest number of bytes of request bodies that are held at once. Absent: the bound in `shared/limits/limits.ts` applies. */
  bodiesBytes?: number
  /** Bounds of checks (CHECK_INTERVAL_MIN, WORKSPACE_CHECKS_PER_MINUTE). Absent: those that the settings have by default. */
  checkBounds?: CheckBounds
  /** What is set of pings (PING_HOST, PING_BODY_LIMIT, KUMA_PUSH). Absent: the defaults of these settings. */
  pings?: PingOptions
  /** Value of API_LEGACY; absent: generations 1 and 2 are available. */
  legacy?: Legacy
  /**
   * False: nothing is audited, so that measurements with and without the audit can be compared. Absent: everything that the API promises is
   * audited.
   */
  audit?: boolean
  /** Returns the scripts and styles of the pages. Absent: the process bundles them once. */
  assets?: () => Promise<Assets>
}
