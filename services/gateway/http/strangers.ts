// Limits for strangers. A stranger is a connection on which no key or session was accepted yet. The number of strangers from one client
// network is limited. If the server has its maximum number of connections, a stranger is closed, so that strangers cannot block other
// clients. A connection with an accepted key or session is never closed here.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '#shared/net/client-network.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface ConnectionBounds {
  /** Largest number of simultaneous connections of the server. */
  connections: number
  /** Largest number of simultaneous unauthenticated connections from one client network. */
  connectionsPerClient: number
  /** Age below which a connection does not count as idle, ms. The first request of a young connection may still be arriving. */
  youngMs: number
  /** Interval of the checks for clients with too many unauthenticated connections, ms. Checks run only while such a client exists. */
  lateMs: number
}

export interface StrangerTerms {
  clock: Clock
  bounds: ConnectionBounds
  /**
   * Whether the address belongs to a trusted proxy. All clients of a proxy share its address, so `connectionsPerClient` does not apply to
   * it.
   */
  isProxy(address: string): boolean
  /** Whether a request was received completely and awaits its response. */
  isAnswering(socket: Socket): boolean
  /** Called for each closed connection. `reason`: its client has too many connections, or the server has too many. */
  closed(reason: 'client' | 'server'): void
}

interface Client {
  isProxy: boolean
  /** Instant of each connection's start on the monotonic clock, oldest first. */
  strangers: Map<Socket, number>
}

const acceptances = new WeakMap<object, () => void>()

/** Marks a connection on which a key or a session was accepted. The limits of strangers no longer apply to it. */
export function noteAccepted(socket: object): void {
  acceptances.get(socket)?.()
}

/** Watches the server's connections until the caller calls the returned function. */
export function boundStrangers(server: Server, terms: StrangerTerms): () => void {
  const { clock, bounds, closed } = terms
  const clients = new Map<string, Client>()
  const open = new Set<Socket>()
  let nextLook: Cancel | null = null

  const forget = (socket: Socket, network: string) => {
    const client = clients.get(network)
    client?.strangers.delete(socket)
    if (client?.strangers.size === 0) clients.delete(network)
    acceptances.delete(socket)
  }
  const close = (socket: Socket, reason: 'client' | 'server') => {
    closed(reason)
    open.delete(socket)
    socket.destroy()
  }
  const look = () => {
    nextLook = null
    for (const { strangers } of [...clients.values()].filter(isOver)) {
      for (const socket of idleStrangers(strangers, terms)) {
        if (strangers.size <= bounds.connectionsPerClient) break
        strangers.delete(socket)
        close(socket, 'client')
      }
    }
    if ([...clients.values()].some(isOver)) lookSoon()
  }
  const lookSoon = () => (nextLook ??= clock.schedule(bounds.lateMs, look))
  const isOver = ({ isProxy, strangers }: Client) => !isProxy && strangers.size > bounds.connectionsPerClient
  const watch = (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isProxy = terms.isProxy(address)
    const network = isProxy ? address : clientNetwork(address)
    const client = clients.get(network) ?? { isProxy, strangers: new Map() }
    client.strangers.set(socket, clock.monotonic())
    clients.set(network, client)
    acceptances.set(socket, () => forget(socket, network))
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      forget(socket, network)
    })
    if (open.size > bounds.connections) close(whoGivesWay(clients.values(), terms) ?? socket, 'server')
    if (isOver(client)) lookSoon()
  }
  server.on('connection', watch)
  return () => {
    server.off('connection', watch)
    nextLook?.()
  }
}

/**
 * Returns the unauthenticated connection to close. Of the client networks that have an idle stranger, chooses the network with the most
 * strangers, and returns its oldest idle stranger. If no network has an idle stranger, returns the oldest stranger of the network with the
 * most strangers. Null: every connection is authenticated.
 */
function whoGivesWay(clients: Iterable<Client>, terms: StrangerTerms): Socket | null {
  let [idle, idleOf]: [Socket | null, number] = [null, 0]
  let [oldest, oldestOf]: [Socket | null, number] = [null, 0]
  for (const { strangers } of clients) {
    const { size } = strangers
    if (size > oldestOf) [oldest, oldestOf] = [strangers.keys().next().value ?? null, size]
    const [found = null] = size > idleOf ? idleStrangers(strangers, terms) : []
    if (found !== null) [idle, idleOf] = [found, size]
  }
  return idle ?? oldest
}

/** Yields the strangers that are at least `youngMs` old and wait for no response, oldest first. */
function* idleStrangers(strangers: Map<Socket, number>, { clock, bounds, isAnswering }: StrangerTerms): Generator<Socket> {
  const grownBefore = clock.monotonic() - bounds.youngMs
  for (const [socket, connectedAt] of strangers) {
    if (connectedAt > grownBefore) return
    if (!isAnswering(socket)) yield socket
  }
}
