// Ports for servers that keep their port over restarts. They lie below the ports that systems give to outgoing connections (from 32,768 on
// Linux, from 49,152 elsewhere): otherwise such a connection may take the port while its server is down.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const [least, most] = [16_384, 32_767]

/** Returns different ports of loopback on which nobody listens. */
export async function freePorts(count: number): Promise<number[]> {
  const held: { port: number; server: Server }[] = []
  while (held.length < count) {
    const port = randomInt(least, most + 1)
    const server = createServer().listen(port, '127.0.0.1')
    if (await once(server, 'listening').then(Boolean, () => false)) held.push({ port, server })
  }
  await Promise.all(held.map(({ server }) => once(server.close(), 'close')))
  return held.map(({ port }) => port)
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port as number
}
