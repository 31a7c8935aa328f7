// Header of responses that only their receiver may see, so that no cache between gateway and client keeps a copy.
import type { FastifyInstance } from 'fastify'

export const noStore = { 'cache-control': 'no-store' } as const

/** Adds the header to every response of the plugin's routes. */
export function storeNothing(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(noStore)
    done()
  })
}
