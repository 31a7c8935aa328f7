// Transport of the bus client when the server closes the connection first.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t from 'tap'
import { PatientTransport } from '#shared/bus/nats/nats-connect.ts'

t.test('connection can be written and released without an error when the server has ended it', async t => {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined)
    socket.write('INFO {"server_id":"x","version":"2.12.0","max_payload":1024}\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [accepted, transport] = [once(server, 'connection'), new PatientTransport()]
  await transport.connect({ hostname: '127.0.0.1', port: (server.address() as AddressInfo).port, tlsName: '' }, {})
  const [far] = (await accepted) as [Socket]
  const { socket } = transport
  // More bytes than the buffers of the operating system hold, so that the socket cannot finish before the next write.
  far.pause()
  transport.send(Buffer.alloc(64 * 1024 * 1024))
  far.end()
  await once(socket, 'end')
  t.equal(socket.writableFinished, false)
  transport.send(Buffer.from('PING\r\n'))
  transport.discard()
  // An error would be thrown within the next two turns of the event loop.
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
  t.equal(socket.destroyed, true)
  far.destroy()
  server.close()
})
