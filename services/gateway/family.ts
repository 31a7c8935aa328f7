// A family of routes: one generation of the API, or pages. It brings its dialect and its plugin, and needs nothing outside its own folder.
import type { FastifyPluginAsync } from 'fastify'
import type { AuthenticateHook } from './authenticate.ts'
import type { GatewayContext } from './context.ts'
import type { Dialect } from './dialect.ts'
import type { GatewayOptions } from './gateway-options.ts'

export interface Family {
  /** Where its plugin is registered. */
  prefix: string
  dialect: Dialect
  /** `authenticate` is the first check of every request that needs a key. */
  routes(context: GatewayContext, authenticate: AuthenticateHook, options: GatewayOptions): FastifyPluginAsync
}
