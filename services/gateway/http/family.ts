// A family of routes: one generation of the API, or pages. A family consists of a dialect and a plugin, in one folder.
import type { FastifyPluginAsync } from 'fastify'
import type { AuthenticateHook } from '../callers/authenticate.ts'
import type { GatewayContext } from '../context.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import type { Dialect } from './dialect.ts'

export interface Family {
  /** Path below which the family's plugin is registered. */
  prefix: string
  dialect: Dialect
  /** Creates the plugin. `authenticate`: hook that checks the key before all other checks, for requests that need a key. */
  routes(context: GatewayContext, authenticate: AuthenticateHook, options: GatewayOptions): FastifyPluginAsync
}
