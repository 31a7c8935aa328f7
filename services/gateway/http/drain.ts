// Closes the gateway's connections at its stop: idle connections at once, others after their response. A client that sends request after
// request cannot delay the stop. This module owns no connection and sends no response.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { ConnectionState } from './connections.ts'

export interface Drain {
  arrived(request: IncomingMessage, response: ServerResponse): void
  answered(request: IncomingMessage, response: ServerResponse): void
  stateOf(socket: Socket): ConnectionState
  /** Accepts no new connection and finishes responses under way. Closes connections whose responses exceed the grace period. */
  stop(): Promise<void>
}

export function createDrain(fastify: FastifyInstance, clock: Clock): Drain {
  const { server } = fastify
  /** Latest response of each connection while this response is unfinished; null: the connection has no unfinished response. */
  const latest = new Map<Socket, ServerResponse | null>()
  let isStopping = false
  const hold = (socket: Socket) => {
    latest.set(socket, null)
    socket.once('close', () => latest.delete(socket))
  }
  /**
   * Closes idle connections, but only while no response is being sent. Node takes a connection for idle before the response on it is sent
   * completely, and would cut off the response.
   */
  const closeIdle = () => {
    for (const response of latest.values()) if (response !== null) return
    server.closeIdleConnections()
  }
  server.on('connection', hold)
  return {
    arrived: (request, response) => {
      // A request of the gateway to itself has no connection.
      if (!(request.socket instanceof Socket)) return
      if (!latest.has(request.socket)) hold(request.socket)
      latest.set(request.socket, response)
      if (isStopping) sayClose(response)
    },
    answered: (request, response) => {
      if (latest.get(request.socket) === response) latest.set(request.socket, null)
      if (isStopping) closeIdle()
    },
    stateOf: socket => {
      const response = latest.get(socket) ?? null
      if (response === null) return 'idle'
      return response.req.complete ? 'answering' : 'sending'
    },
    stop: async () => {
      isStopping = true
      for (const [socket, response] of latest) {
        if (response !== null) sayClose(response)
        // Node counts a connection without a request as busy and does not close it, so such a connection is closed here.
        else if (socket.bytesRead === 0) socket.destroy()
      }
      const cancel = clock.schedule(limits.http.drainMs, () => server.closeAllConnections())
      await fastify.close().finally(cancel)
    },
  }
}

/**
 * Adds `Connection: close` to the latest response of a connection. On an earlier response, the header would close the connection before the
 * latest response is sent.
 */
function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
