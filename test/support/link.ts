// A connection between two places that can be cut: a TCP proxy on loopback. A silent cut is a network that drops everything: connections
// stay open, and what was sent arrives when the link is healed. The other cut refuses and closes connections, as a host that is down.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Cut = 'silent' | 'refusing'

export interface Link {
  port: number
  cut(how: Cut): void
  heal(): void
  close(): void
}

interface Pair {
  near: Socket
  /** Null: the connection was made during a silent cut, so the target does not know of it yet. */
  far: Socket | null
}

/** Opens a link to a port of loopback. */
export async function openLink(targetPort: number): Promise<Link> {
  let how: Cut | null = null
  const pairs = new Set<Pair>()
  const end = (pair: Pair) => {
    // Neither end learns of the other's end during a silent cut.
    if (how === 'silent') return
    pairs.delete(pair)
    pair.near.destroy()
    pair.far?.destroy()
  }
  const flow = (pair: Pair) => {
    if (pair.far === null) {
      pair.far = connect(targetPort, '127.0.0.1')
      watch(pair, pair.far)
    }
    pair.near.pipe(pair.far).pipe(pair.near)
  }
  const watch = (pair: Pair, socket: Socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => end(pair))
  }
  const server = createServer(near => {
    if (how === 'refusing') return void near.destroy()
    const pair: Pair = { near, far: null }
    pairs.add(pair)
    watch(pair, near)
    if (how === 'silent') near.pause()
    else flow(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (given: Cut) => {
    how = given
    for (const pair of [...pairs]) {
      if (given === 'refusing') {
        end(pair)
        continue
      }
      for (const socket of [pair.near, pair.far]) socket?.unpipe().pause()
    }
  }
  const heal = () => {
    // The pairs of a link that is not cut flow already; a second pipe would send every byte twice.
    if (how === null) return
    how = null
    for (const pair of [...pairs]) {
      if (pair.near.destroyed || pair.far?.destroyed === true) end(pair)
      else flow(pair)
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    heal,
    close: () => {
      cut('refusing')
      server.close()
    },
  }
}
