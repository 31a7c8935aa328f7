// Strangers: connections on which no key and no session was accepted yet. They are bounded by client network, and they give way if the
// server is full, so that nobody without a key keeps others out. It never closes a connection of somebody known.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Cancel, Clock } from '#shared/clock.ts'
import { clientNetwork } from './client-network.ts'

export interface ConnectionBounds {
  /** Connections of the server at once. */
  connections: number
  /** Strangers of one client network at once. */
  connectionsPerClient: number
  /** A connection is young for so long: its request may be on its way. */
  youngMs: number
  /** How often clients with too many strangers are looked at, while there are any. */
  lateMs: number
}

export interface StrangerTerms {
  clock: Clock
  bounds: ConnectionBounds
  /** Everybody behind a trusted proxy has its address, so that its strangers are not bounded by it. */
  isProxy(address: string): boolean
  /** Whether a request has come whole and awaits its answer. */
  isAnswering(socket: Socket): boolean
  /** Called for each connection that is closed: its client or the server has too many. */
  closed(reason: 'client' | 'server'): void
}

interface Client {
  isProxy: boolean
  /** When each was made, on the monotonic clock; the oldest first. */
  strangers: Map<Socket, number>
}

const acceptances = new WeakMap<object, () => void>()

/** A key or a session was accepted on this connection: from now on it is kept. */
export function noteAccepted(socket: object): void {
  acceptances.get(socket)?.()
}

/** Watches the server's connections until the returned function is called. */
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
  const lookSoon = () => (nextLook ??= clock.after(bounds.lateMs, look))
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

/** Of the client with the most strangers the oldest idle one; if none is idle, the oldest. Null: there are no strangers. */
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

/** Those that are not young and await no answer, the oldest first. */
function* idleStrangers(strangers: Map<Socket, number>, { clock, bounds, isAnswering }: StrangerTerms): Generator<Socket> {
  const grownBefore = clock.monotonic() - bounds.youngMs
  for (const [socket, connectedAt] of strangers) {
    if (connectedAt > grownBefore) return
    if (!isAnswering(socket)) yield socket
  }
}
