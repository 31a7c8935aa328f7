// Accountant of the server's connections. A stranger is a connection on which no key, session or address of a sender was accepted yet; the
// strangers of one client network are bounded. Every other connection belongs to the holder that was accepted on it last. If the server has
// its maximum number of connections, the holder or the network that holds most gives way, so that nobody can keep others out.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { clientNetwork } from '#shared/net/client-network.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { type Held, Holdings } from './holdings.ts'

export interface ConnectionBounds {
  /** Largest number of simultaneous connections of the server. */
  connections: number
  /** Largest number of simultaneous unauthenticated connections from one client network. */
  connectionsPerClient: number
  /** Number of connections of one holder or network above which its idle connections are closed before those of strangers. */
  connectionsPerHolder: number
  /** Age below which a stranger does not count as idle, ms. The first request of a young connection may still be arriving. */
  youngMs: number
  /** Interval of the checks for clients with too many unauthenticated connections, ms. Checks run only while such a client exists. */
  lateMs: number
}

/**
 * State of a connection. `idle`: it waits for the next request, whose headers may be arriving. `sending`: the body of its request is
 * unfinished. `answering`: the request is complete and awaits its response.
 */
export type ConnectionState = 'idle' | 'sending' | 'answering'

export interface ConnectionTerms {
  clock: Clock
  bounds: ConnectionBounds
  /**
   * Whether the address belongs to a trusted proxy. All clients of a proxy share its address, so `connectionsPerClient` does not apply to
   * it.
   */
  isProxy(address: string): boolean
  stateOf(socket: Socket): ConnectionState
  /**
   * Called for each closed connection. `client`: its client network has too many strangers. `server`: a stranger gave way, because the
   * server has too many connections. `holder`: for the same reason, a connection of the largest holder gave way.
   */
  closed(reason: 'client' | 'server' | 'holder'): void
}

export interface Connections {
  /** Called when a response was sent. From now on the connection is idle. */
  answered(socket: object): void
  /** Removes the bounds. */
  stop(): void
}

interface Connection extends Held {
  socket: Socket
  /** Address of the accepted client behind a proxy, as the latest request says it. */
  address: string
  isProxy: boolean
  connectedAt: number
  /** Instant of the connection's latest response, or of its start, on the monotonic clock. */
  quietSince: number
}

interface Client {
  isProxy: boolean
  /** Strangers of one client network, oldest first. */
  strangers: Set<Connection>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Key, session, Observation address or Resource of a ping that was accepted for the request; null: none, or not yet. */
    holder: string | null
  }
}

const known = new WeakMap<object, { connection: Connection; accept(request: FastifyRequest, holder: string): void }>()

/**
 * Notes the holder that was accepted for a request: `key:`, `session:` or `address:` with an id, `ping:` with that of a Resource. The bounds
 * of strangers no longer apply to the connection.
 */
export function noteAccepted(request: FastifyRequest, holder: string): void {
  request.holder = holder
  known.get(request.raw.socket)?.accept(request, holder)
}

/** Returns who sends a request: its accepted holder, else the network of its client. */
export function senderOf({ raw, holder }: FastifyRequest): Held {
  const network = known.get(raw.socket)?.connection.network ?? ''
  return { holder: holder ?? network, network }
}

/** Watches the server's connections until `stop` is called. */
export function boundConnections(server: Server, terms: ConnectionTerms): Connections {
  const { clock, bounds, closed } = terms
  const clients = new Map<string, Client>()
  const accepted = new Holdings<Connection>()
  const open = new Map<object, Connection>()
  let strangers = 0
  let nextLook: Cancel | null = null

  /** Counts the connection no longer, whoever it belongs to. */
  const forget = (connection: Connection) => {
    const client = clients.get(connection.network)
    if (client?.strangers.delete(connection) !== true) return accepted.remove(connection)
    strangers--
    if (client.strangers.size === 0) clients.delete(connection.network)
  }
  const accept = (connection: Connection, request: FastifyRequest, holder: string) => {
    const address = connection.isProxy ? request.ip : connection.address
    if (!open.has(connection.socket) || (connection.holder === holder && connection.address === address)) return
    forget(connection)
    if (connection.address !== address) connection.network = clientNetwork(address)
    connection.address = address
    connection.holder = holder
    accepted.add(connection, 1)
  }
  const close = (connection: Connection, reason: 'client' | 'server' | 'holder') => {
    closed(reason)
    end(connection)
    connection.socket.destroy()
  }
  const end = (connection: Connection) => {
    if (!open.delete(connection.socket)) return
    forget(connection)
  }
  const look = () => {
    nextLook = null
    for (const client of [...clients.values()].filter(isOver)) {
      for (const stranger of idleStrangers(client.strangers, terms)) {
        if (client.strangers.size <= bounds.connectionsPerClient) break
        close(stranger, 'client')
      }
    }
    if ([...clients.values()].some(isOver)) lookSoon()
  }
  const lookSoon = () => (nextLook ??= clock.schedule(bounds.lateMs, look))
  const isOver = ({ isProxy, strangers: { size } }: Client) => !isProxy && size > bounds.connectionsPerClient
  const watch = (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const isProxy = terms.isProxy(address)
    const network = isProxy ? address : clientNetwork(address)
    const at = clock.monotonic()
    const connection: Connection = { socket, address, isProxy, network, holder: '', connectedAt: at, quietSince: at }
    const client = clients.get(network) ?? { isProxy, strangers: new Set() }
    client.strangers.add(connection)
    clients.set(network, client)
    strangers++
    known.set(socket, { connection, accept: (request, holder) => accept(connection, request, holder) })
    open.set(socket, connection)
    socket.once('close', () => end(connection))
    if (open.size > bounds.connections) {
      const { connection: found, reason } = whoGivesWay({ clients, strangers, accepted }, terms)
      close(found ?? connection, reason)
    }
    if (isOver(client)) lookSoon()
  }
  server.on('connection', watch)
  return {
    answered: socket => {
      const connection = open.get(socket)
      if (connection !== undefined) connection.quietSince = clock.monotonic()
    },
    stop: () => {
      server.off('connection', watch)
      nextLook?.()
    },
  }
}

interface Counted {
  clients: ReadonlyMap<string, Client>
  /** Number of all strangers. */
  strangers: number
  accepted: Holdings<Connection>
}

/** Returns the connection to close while the server has too many; null: every other connection is needed more than the newest. */
function whoGivesWay(
  { clients, strangers, accepted }: Counted,
  terms: ConnectionTerms,
): { connection: Connection | null; reason: 'server' | 'holder' } {
  const { stranger, isIdle } = largestStranger(clients.values(), terms)
  const group = accepted.largest()
  const held = group === null ? null : leastNeeded(group.members.keys(), terms)
  if (group === null || held === null) return { connection: stranger, reason: 'server' }
  const isGreedy = group.amount > terms.bounds.connectionsPerHolder
  const isFirst = held.state === 'answering' ? isGreedy && !isIdle : isGreedy || (!isIdle && group.amount >= strangers)
  return isFirst ? { connection: held.connection, reason: 'holder' } : { connection: stranger, reason: 'server' }
}

/**
 * Returns the stranger to close. Of the client networks that have an idle stranger, chooses the network with the most strangers, and returns
 * its oldest idle stranger. If no network has an idle stranger, returns the oldest stranger of the network with the most strangers. Null:
 * there are no strangers.
 */
function largestStranger(clients: Iterable<Client>, terms: ConnectionTerms): { stranger: Connection | null; isIdle: boolean } {
  let [idle, idleOf]: [Connection | null, number] = [null, 0]
  let [oldest, oldestOf]: [Connection | null, number] = [null, 0]
  for (const { strangers } of clients) {
    const { size } = strangers
    if (size > oldestOf) [oldest, oldestOf] = [strangers.values().next().value ?? null, size]
    const [found = null] = size > idleOf ? idleStrangers(strangers, terms) : []
    if (found !== null) [idle, idleOf] = [found, size]
  }
  return { stranger: idle ?? oldest, isIdle: idle !== null }
}

/** Yields the strangers that are at least `youngMs` old and wait for no response, oldest first. */
function* idleStrangers(strangers: Set<Connection>, { clock, bounds, stateOf }: ConnectionTerms): Generator<Connection> {
  const grownBefore = clock.monotonic() - bounds.youngMs
  for (const stranger of strangers) {
    if (stranger.connectedAt > grownBefore) return
    if (stateOf(stranger.socket) !== 'answering') yield stranger
  }
}

const byNeed: readonly ConnectionState[] = ['idle', 'sending', 'answering']

/** Returns the connection that is needed least: an idle one, else one with an unfinished body, else any; each time the one longest quiet. */
function leastNeeded(members: Iterable<Connection>, { stateOf }: Pick<ConnectionTerms, 'stateOf'>) {
  let least: { connection: Connection; state: ConnectionState; rank: number } | null = null
  for (const connection of members) {
    const state = stateOf(connection.socket)
    const rank = byNeed.indexOf(state)
    const isLess =
      least === null || rank < least.rank || (rank === least.rank && connection.quietSince < least.connection.quietSince)
    if (isLess) least = { connection, state, rank }
  }
  return least
}
