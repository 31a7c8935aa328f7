// The link of the fault table: a cut drops nothing that was sent before, holds or closes connections, and heals without a trace.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openLink } from '../support/link.ts'

/** A server that sends back what arrives, behind a link. */
async function serveEcho(t: Test) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const link = await openLink((server.address() as AddressInfo).port)
  t.teardown(() => {
    link.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = () => {
    const socket = connect(link.port, '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    return socket
  }
  return { link, open }
}

/** Sends the text, with a mark that ends it, and resolves with everything that comes back until the mark. */
async function echoed(socket: Socket, text: string): Promise<string> {
  let got = ''
  socket.write(`${text};`)
  while (!got.endsWith(';')) got += (await once(socket, 'data'))[0]
  return got
}

t.test('a link that was not cut sends nothing twice after it is healed', async t => {
  const { link, open } = await serveEcho(t)
  const socket = open()
  t.equal(await echoed(socket, 'before'), 'before;')
  link.heal()
  t.equal(await echoed(socket, 'healed'), 'healed;')
  t.equal(await echoed(socket, 'and after'), 'and after;', 'nothing of the one before comes again')
})

t.test('a silent cut holds what is sent until the link is healed, also on connections made meanwhile', async t => {
  const { link, open } = await serveEcho(t)
  const socket = open()
  await echoed(socket, 'before')
  link.cut('silent')
  const late = open()
  await once(late, 'connect')
  const answers = Promise.all([echoed(socket, 'meanwhile'), echoed(late, 'made meanwhile')])
  link.heal()
  t.strictSame(await answers, ['meanwhile;', 'made meanwhile;'])
  t.equal(await echoed(socket, 'after'), 'after;')
})

t.test('a refusing cut closes connections, and new ones until the link is healed', async t => {
  const { link, open } = await serveEcho(t)
  const socket = open()
  await echoed(socket, 'before')
  link.cut('refusing')
  await once(socket, 'close')
  await once(open(), 'close')
  link.heal()
  t.equal(await echoed(open(), 'after'), 'after;')
})
