// Connection to nats-server by a transport whose sockets never throw. The library removes its listeners before a socket has closed. Without
// a listener, the error of a write after the server's end would end the process.
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

/** Listener for late errors: the library already treats the connection as ended, and reconnects. */
const ignore = () => undefined

/** Connects with the signature of the library's own `connect`. */
export function connectToNats(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new PatientTransport(), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect(options)
}
