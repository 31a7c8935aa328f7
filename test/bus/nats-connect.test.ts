// The transport of the bus client against a server that ends the connection first.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { PatientTransport } from '#shared/bus/nats-connect.ts'

t.test('a connection that its server has ended throws no error when the client writes to it and lets it go', async t => {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined)
    socket.write('INFO {"server_id":"x","version":"2.12.0","max_payload":1024}\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [accepted, transport] = [once(server, 'connection'), new PatientTransport()]
  await transport.connect({ hostname: '127.0.0.1', port: (server.address() as AddressInfo).port, tlsName: '' }, {})
  const [far] = (await accepted) as [Socket]
  const { socket } = transport
  // More than the system's buffers take, so that the socket cannot finish before the next write.
  far.pause()
  transport.send(Buffer.alloc(64 * 1024 * 1024))
  far.end()
  await once(socket, 'end')
  t.equal(socket.writableFinished, false)
  transport.send(Buffer.from('PING\r\n'))
  transport.discard()
  // The error is thrown, if it is, before the next turn but one of the event loop.
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
  t.equal(socket.destroyed, true)
  far.destroy()
  server.close()
})
