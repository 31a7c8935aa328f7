// Connects to nats-server by a transport whose sockets never throw. The library drops its listeners before a socket has closed, so the error of
// a write after the server's end would reach nobody and end the process.
import {
  type ConnectionOptions,
  type NatsConnection,
  NatsConnectionImpl,
  setTransportFactory,
} from '@nats-io/transport-node/lib/nats-base-client.js'
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'

export class PatientTransport extends NodeTransport {
  override setupHandlers(): void {
    super.setupHandlers()
    const { socket } = this
    const removeAll = socket.removeAllListeners.bind(socket)
    socket.removeAllListeners = event => {
      removeAll(event)
      return socket.on('error', ignore)
    }
  }
}

/** The connection is over for the library, which reconnects. */
const ignore = () => undefined

/** As the library's own `connect`. */
export function connectToNats(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new PatientTransport(), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect(options)
}
