// Connection to nats-server by a transport whose sockets never throw. The library removes its listeners before a socket has closed. If the
// server has gone and a late write fails, an error event without a listener would end the process.
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

/** Listener that ignores late errors, because the library has already noticed the end of the connection and reconnects. */
const ignore = () => undefined

/** Connects to the server. Has the signature of the library's `connect`. */
export function connectToNats(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new PatientTransport(), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect(options)
}
