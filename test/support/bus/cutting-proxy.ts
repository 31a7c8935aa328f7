// Loopback proxy that drops one message and closes its connection, for tests of requests whose outcome the sender cannot know. It drops
// only messages that contain a mark, so messages that the driver sends by itself pass.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  port: number
  /**
   * Drops the next marked message. `question`: the message never reaches the server; `answer`: the server's reply never reaches the client.
   */
  loseNext(what: 'question' | 'answer'): void
  /** Number of lost messages so far. */
  lost(): number
  stop(): Promise<void>
}

export async function startCuttingProxy(targetPort: number, mark: string): Promise<CuttingProxy> {
  let armed: 'question' | 'answer' | null = null
  let lost = 0
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const target = connect(targetPort, '127.0.0.1')
    let cutAtAnswer = false
    const cut = () => {
      client.destroy()
      target.destroy()
    }
    client.on('data', chunk => {
      const what = armed !== null && chunk.includes(mark) ? armed : null
      if (what !== null) {
        armed = null
        lost++
      }
      cutAtAnswer ||= what === 'answer'
      if (what === 'question') cut()
      else target.write(chunk)
    })
    target.on('data', chunk => (cutAtAnswer ? cut() : client.write(chunk)))
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    loseNext: what => {
      armed = what
    },
    lost: () => lost,
    stop: () => stop(server, sockets),
  }
}

async function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}
