// WebSocket server at 127.0.0.1 that sends all messages of the inspection protocol to every client that knows its path. The path contains a
// random token, because any page in a browser may connect to 127.0.0.1.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

const connectionsMost = 8
/** Largest number of bytes that a receiver may leave unread before it is disconnected. */
const unreadMost = 16 * 1_024 * 1_024
/** Largest message that a receiver may send, bytes. The server ignores all messages of receivers. */
const receivedMost = 1_024

export interface InspectionServer {
  /** `ws://127.0.0.1:<port>/<token>` */
  url: string
  /** Sends messages to all connected receivers now, and to each later receiver when it connects. */
  send(messages: Iterable<object>): void
  close(): Promise<void>
}

/** Opens the server. Rejects if the port is in use. */
export async function openInspectionServer(port: number): Promise<InspectionServer> {
  const path = `/${randomBytes(24).toString('base64url')}`
  const server = new WebSocketServer({ host: '127.0.0.1', port, path, maxPayload: receivedMost })
  await once(server, 'listening')
  const sent: string[] = []
  server.on('connection', socket => {
    // An error of one receiver disconnects only this receiver.
    socket.on('error', () => socket.terminate())
    if (server.clients.size > connectionsMost) return socket.close(1013, 'too many receivers')
    for (const text of sent) deliver(socket, text)
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    send: messages => {
      for (const message of messages) {
        const text = JSON.stringify(message)
        sent.push(text)
        for (const socket of server.clients) deliver(socket, text)
      }
    },
    close: async () => {
      for (const socket of server.clients) socket.terminate()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

function deliver(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > unreadMost) socket.terminate()
  else socket.send(text)
}
