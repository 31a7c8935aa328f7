// One connection to a server of the bus or the store, to see whether it is there and which certificate it shows. Sends no credentials.
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type PeerCertificate } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'

export interface Dialled {
  /** Why it cannot be reached, in a few words; null: it can. */
  fault: string | null
  /** Null: no TLS, or it showed none. */
  certificate: PeerCertificate | null
}

export interface DialOptions {
  host: string
  port: number
  /** `after greeting`: the server sends a line before TLS begins, as nats-server does. */
  secured: 'never' | 'at once' | 'after greeting'
}

export async function dial({ host, port, secured }: DialOptions): Promise<Dialled> {
  const signal = AbortSignal.timeout(limits.start.commandMs)
  const socket = connectTcp({ host, port })
  try {
    await once(socket, 'connect', { signal })
    return { fault: null, certificate: secured === 'never' ? null : await certificateOf(socket, host, secured, signal) }
  } catch (error) {
    return { fault: reasonOf(error as NodeJS.ErrnoException), certificate: null }
  } finally {
    socket.destroy()
  }
}

async function certificateOf(
  socket: Socket,
  host: string,
  begins: Exclude<DialOptions['secured'], 'never'>,
  signal: AbortSignal,
): Promise<PeerCertificate | null> {
  if (begins === 'after greeting') await once(socket, 'data', { signal })
  // Whether it is trusted is the matter of the client that uses the connection; here only its days are read.
  const secured = connectTls({ socket, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) })
  try {
    await once(secured, 'secureConnect', { signal })
    const certificate = secured.getPeerCertificate()
    return certificate.valid_to === undefined ? null : certificate
  } finally {
    // A server may end the connection in its own way, because no credentials follow.
    secured.on('error', () => undefined).destroy()
  }
}

function reasonOf({ code, name, message }: NodeJS.ErrnoException): string {
  if (name === 'AbortError' || name === 'TimeoutError') return 'it does not answer'
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name is not known'
  return code ?? message
}
