// A name server on loopback, by UDP and TCP at one port, which answers as a test says.
import { createSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Answer, type DecodedPacket, decode, encode, RECURSION_AVAILABLE } from 'dns-packet'

export interface Asked {
  packet: DecodedPacket
  over: 'udp' | 'tcp'
}

/** What is sent after a question. `stranger`: it comes from another port. */
export type Sent = { bytes: Buffer; from?: 'stranger' }

export interface NameServer {
  /** Address and port, as a check has them. */
  address: string
  /** Resolves with the next question. */
  next(): Promise<Asked>
  stop(): void
}

const rcodes: Record<string, number> = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

/** Returns an answer to a question. */
export const answerTo = ({ packet }: Asked, answers: Answer[] = [], rcode = 'NOERROR', flags = 0): Buffer =>
  encode({
    ...{ type: 'response', id: packet.id ?? 0, flags: flags | RECURSION_AVAILABLE | (rcodes[rcode] ?? 0) },
    ...{ questions: packet.questions ?? [], answers },
  })

interface Options {
  host?: '127.0.0.1' | '::1'
  /** Connections are closed at once. */
  hangsUp?: boolean
}

/** `reply` is asked for what to send after each question. */
export async function startNameServer(
  reply: (asked: Asked) => Sent[],
  { host = '127.0.0.1', hangsUp = false }: Options = {},
): Promise<NameServer> {
  const questions = new EventEmitter()
  const tcp = createServer(socket => (hangsUp ? socket.end() : serveTcp(socket, reply, questions)))
  tcp.listen(0, host)
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const type = host === '::1' ? 'udp6' : 'udp4'
  const [udp, stranger] = [createSocket(type), createSocket(type)]
  udp.on('message', (message, from) => {
    const asked: Asked = { packet: decode(message), over: 'udp' }
    for (const sent of reply(asked)) (sent.from === undefined ? udp : stranger).send(sent.bytes, from.port, from.address)
    questions.emit('asked', asked)
  })
  udp.bind(port, host)
  await once(udp, 'listening')
  return {
    address: host === '::1' ? `[::1]:${port}` : `127.0.0.1:${port}`,
    next: async () => (await once(questions, 'asked'))[0],
    stop: () => {
      tcp.close()
      udp.close()
      stranger.close()
    },
  }
}

function serveTcp(socket: Socket, reply: (asked: Asked) => Sent[], questions: EventEmitter): void {
  socket.on('error', () => undefined)
  socket.once('data', data => {
    const asked: Asked = { packet: decode(data.subarray(2)), over: 'tcp' }
    for (const { bytes } of reply(asked)) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      // In pieces, as networks may deliver it.
      const framed = Buffer.concat([length, bytes])
      socket.write(framed.subarray(0, 1))
      setImmediate(() => socket.write(framed.subarray(1)))
    }
    questions.emit('asked', asked)
  })
}
