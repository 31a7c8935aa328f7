// Resolves when a server begins to read the body of its next request. A server reads the body only after all checks of the headers.
import type { IncomingMessage, Server } from 'node:http'

export function bodyIsRead(server: Server): Promise<IncomingMessage> {
  return new Promise(resolve => {
    server.once('request', (request: IncomingMessage) => {
      request.on('newListener', name => {
        if (name === 'data') resolve(request)
      })
    })
  })
}
