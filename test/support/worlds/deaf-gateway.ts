// A gateway that hears of no revocation: it knows of a changed right at once only if it made the change itself.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import { type ApiWorld, incidentSalt, version } from './api-world.ts'

interface Test {
  teardown(run: () => Promise<void>): unknown
}

/** Returns a function that sends a request to such a gateway. `path`: below `/api/v3`. It resolves with the envelope and its HTTP status. */
export async function startDeafGateway(t: Test, { hub, clock }: Pick<ApiWorld, 'hub' | 'clock'>, token: string) {
  const bus = hub.connect()
  const deaf: Bus = {
    ...bus,
    bucket: name => ({
      ...bus.bucket(name),
      ...(name === 'revocations' && { watch: async () => ({ close: async () => undefined }) }),
    }),
  }
  const context = { bus: deaf, clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const { fastify, service } = await createGateway(context, { version, incidentSalt })
  t.teardown(() => service.stop())
  return async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object, as = token) => {
    const headers = { authorization: `Bearer ${as}` }
    const { statusCode, body } = await fastify.inject({ method, url: `/api/v3${path}`, headers, ...(payload && { payload }) })
    return { status: statusCode, ...JSON.parse(body) }
  }
}
