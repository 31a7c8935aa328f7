// The WebSocket of `incident inspect`: which clients are accepted, and which messages each receiver gets.
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { openInspectionServer } from '../../../infra/cli/incidents/inspection-server.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

/** Resolves with the next `count` messages of a socket. */
async function receive(socket: WebSocket, count: number): Promise<object[]> {
  const found: object[] = []
  while (found.length < count) found.push(JSON.parse(String((await once(socket, 'message'))[0])))
  return found
}

t.test('receiver gets all earlier messages, then each new message', async t => {
  const server = await openInspectionServer(0)
  t.teardown(() => server.close())
  server.send([{ n: 1 }])
  const first = new WebSocket(server.url)
  t.same(await receive(first, 1), [{ n: 1 }])
  const later = receive(first, 1)
  server.send([{ n: 2 }])
  t.same(await later, [{ n: 2 }])
  const second = new WebSocket(server.url)
  const both: object[] = []
  second.on('message', data => both.push(JSON.parse(String(data))))
  while (both.length < 2) await once(second, 'message')
  t.same(both, [{ n: 1 }, { n: 2 }])
  first.terminate()
  second.terminate()
})

t.test('client without the secret path gets nothing', async t => {
  const server = await openInspectionServer(0)
  t.teardown(() => server.close())
  server.send([{ n: 1 }])
  const { protocol, host } = new URL(server.url)
  t.match(server.url, /^ws:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/)
  for (const path of ['/', '/inspect', '/..', `/${'A'.repeat(32)}`]) {
    const socket = new WebSocket(`${protocol}//${host}${path}`)
    const [error] = await once(socket, 'error')
    t.match(error.message, /400/, path)
  }
})

t.test('ninth receiver is refused, and a receiver that sends much is disconnected', async t => {
  const server = await openInspectionServer(0)
  t.teardown(() => server.close())
  const sockets: WebSocket[] = []
  for (let n = 0; n < 8; n++) {
    const socket = new WebSocket(server.url)
    await once(socket, 'open')
    sockets.push(socket)
  }
  const ninth = new WebSocket(server.url)
  const [code] = await once(ninth, 'close')
  t.equal(code, 1013)
  const [talker] = sockets
  const closed = once(talker as WebSocket, 'close')
  talker?.send('x'.repeat(1_025))
  await closed
  for (const socket of sockets) socket.terminate()
})

const refused: [name: string, args: string[], code: number, stderr: RegExp][] = [
  ['nothing runs', ['some-incident'], 3, /start it, or set DATA_DIR or NATS_URL\.\n$/],
  ['a port that is none', ['x', '--port', '65536'], 2, /It must be 0 to 65535/],
]

for (const [name, args, code, stderr] of refused)
  t.test(`incident inspect is refused with an error message: ${name}`, async t => {
    const ended = await runProgram(t, ['incident', 'inspect', ...args], { DATA_DIR: temporaryFolder(t) }).ended
    t.equal(ended.code, code, ended.stderr)
    t.match(ended.stderr, stderr)
    t.equal(ended.stdout, '')
  })
