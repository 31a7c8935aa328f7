// How the gateway's connections end: whoever asks nothing is let go at once, whoever was asked is answered first. A client that goes on
// asking must not hold up the stop. It owns no connection and answers nothing.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface Drain {
  arrived(request: IncomingMessage, response: ServerResponse): void
  answered(request: IncomingMessage, response: ServerResponse): void
  /** Whether the latest request of a connection has come whole and is not answered yet. */
  isAnswering(socket: Socket): boolean
  /** Takes no new connection, finishes what is being answered, and cuts what takes longer than its grace. */
  stop(): Promise<void>
}

export function createDrain(fastify: FastifyInstance, clock: Clock): Drain {
  const { server } = fastify
  /** The latest answer of each connection that is not out yet; null where there is none. */
  const latest = new Map<Socket, ServerResponse | null>()
  let isStopping = false
  const hold = (socket: Socket) => {
    latest.set(socket, null)
    socket.once('close', () => latest.delete(socket))
  }
  /** While an answer is on its way out nothing is closed: Node takes a connection for idle once its answer is handed over. */
  const closeIdle = () => {
    for (const response of latest.values()) if (response !== null) return
    server.closeIdleConnections()
  }
  server.on('connection', hold)
  return {
    arrived: (request, response) => {
      if (!latest.has(request.socket)) hold(request.socket)
      latest.set(request.socket, response)
      if (isStopping) sayClose(response)
    },
    answered: (request, response) => {
      if (latest.get(request.socket) === response) latest.set(request.socket, null)
      if (isStopping) closeIdle()
    },
    isAnswering: socket => latest.get(socket)?.req.complete === true,
    stop: async () => {
      isStopping = true
      for (const [socket, response] of latest) {
        if (response !== null) sayClose(response)
        // Node takes a connection that has not asked yet for a busy one.
        else if (socket.bytesRead === 0) socket.destroy()
      }
      const cancel = clock.after(limits.http.drainMs, () => server.closeAllConnections())
      await fastify.close().finally(cancel)
    },
  }
}

/** Only the latest of a connection says so: what is said before it on the same one would cut it off. */
function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
