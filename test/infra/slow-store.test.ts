// A real program whose store, a server that speaks MongoDB's wire protocol, does not answer at first.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { freePort } from '../support/free-ports.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { eventually, runProgram, temporaryFolder } from './run-program.ts'

/** A listener that accepts connections and answers nothing, until `open` connects it to the server at this port. */
async function slowDoor(test: { teardown(run: () => unknown): void }) {
  let target = 0
  const held = new Set<Socket>()
  const server = createServer(client => {
    held.add(client)
    client.on('error', () => undefined).once('close', () => held.delete(client))
    if (target === 0) return
    const through = connect(target, '127.0.0.1').on('error', () => client.destroy())
    client.pipe(through).pipe(client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const endAll = () => {
    for (const client of held) client.destroy()
  }
  test.teardown(() => {
    endAll()
    server.close()
  })
  const open = (port: number) => {
    target = port
    endAll()
  }
  return { port: (server.address() as AddressInfo).port, open }
}

t.test('start waits for a store that does not answer, says so, and goes on when it does', async t => {
  const secantus = await startSecantus()
  if (secantus === null) return t.pass('no store here')
  t.teardown(secantus.stop)
  const door = await slowDoor(t)
  const OPS_PORT = String(await freePort())
  const MONGODB_URL = `mongodb://127.0.0.1:${door.port}/slow`
  const program = runProgram(t, ['start'], { DATA_DIR: temporaryFolder(t), OPS_PORT, MONGODB_URL })
  const beganAt = performance.now()
  await eventually('it waits', () => /"waitedSeconds":1[2-9].*start waits/.test(program.stderr()))
  t.ok(performance.now() - beganAt > limits.start.patienceMs)
  const readiness = await fetch(`http://127.0.0.1:${OPS_PORT}/readyz`)
  t.equal(readiness.status, 503)
  t.same(((await readiness.json()) as { reasons: string[] }).reasons, ['It is starting.', 'It waits for the store.'])
  door.open(Number(new URL(secantus.url).port))
  await eventually('it goes on', () => /start goes on.*everything runs/s.test(program.stderr()))
})
