// The bus and services of the manifests, as processes: three NATS servers with the file that compose mounts, services with the environment
// of compose, and a store with the generated certificates. SecantusDB replaces MongoDB.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { type ConnectionOptions, connect, credsAuthenticator } from '@nats-io/transport-node'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { parse } from 'yaml'
import { obtainNatsServer } from '../../../infra/runtime/bus/nats-server.ts'
import {
  listensForRoutes,
  type ManifestServer,
  portsOfServer,
  startManifestBus,
  startServer,
} from '../../support/bus/manifest-bus.ts'
import { startSecantus } from '../../support/store/secantus.ts'
import { eventually, type Program, runProgram, temporaryFolder } from '../run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = temporaryFolder(t)
const secrets = join(folder, 'secrets')
const secret = (path: string) => readFileSync(join(secrets, path), 'utf8')
const binary = await obtainNatsServer({ toolsFolder: join(root, '.tools'), log: () => undefined })
const made = await runProgram(t, ['cluster', 'secrets', secrets, '--json']).ended
if (made.code !== 0) throw new Error(made.stderr)
const servers = await startManifestBus(binary, secrets, folder)
t.teardown(() => Promise.all(servers.map(server => server.stop())))
const [first, second] = servers as [ManifestServer, ManifestServer, ManifestServer]

/** Sends SIGTERM, as Kubernetes does after preStop, unless the server has ended already. */
const terminate = ({ pid }: ManifestServer) => {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const asked = async (server: ManifestServer, path: string) =>
  (await fetch(`http://127.0.0.1:${server.ports.monitor}${path}`)).json()
const routesOf = async (server: ManifestServer): Promise<string[]> => {
  const { routes } = (await asked(server, '/routez')) as { routes?: { remote_name: string }[] }
  return [...new Set((routes ?? []).map(route => route.remote_name))].sort()
}
const credentials = (text: string) => credsAuthenticator(new TextEncoder().encode(text))
const house: ConnectionOptions = {
  servers: servers.map(({ ports }) => `localhost:${ports.client}`),
  authenticator: credentials(secret('services/house.creds')),
  tls: { caFile: join(secrets, 'ca.pem') },
}

t.test('three servers form a cluster over TLS', { timeout: 60_000 }, async t => {
  for (const server of servers) {
    const others = servers.map(({ name }) => name).filter(name => name !== server.name)
    await eventually(`${server.name} has its routes`, async () => String(await routesOf(server)) === String(others))
    await eventually(
      `${server.name} is healthy`,
      async () => ((await asked(server, '/healthz')) as { status: string }).status === 'ok',
    )
    const { cluster, tls_required } = (await asked(server, '/varz')) as {
      cluster: { tls_required: boolean }
      tls_required: boolean
    }
    t.ok(cluster.tls_required, 'to routes')
    t.ok(tls_required, 'to clients')
  }
  const { meta_cluster } = (await asked(first, '/jsz')) as { meta_cluster: { cluster_size: number } }
  t.equal(meta_cluster.cluster_size, 3)
})

t.test('monitoring endpoint responds only on loopback', async t => {
  t.equal((await fetch(`http://127.0.0.1:${first.ports.monitor}/varz`)).status, 200)
  await t.rejects(fetch(`http://127.0.0.2:${first.ports.monitor}/varz`), 'not at another address of this machine')
})

t.test('client without TLS or without credentials of this cluster is refused', async t => {
  const attempt = (options: ConnectionOptions) =>
    connect({ ...house, authenticator: undefined, reconnect: false, ...options } as ConnectionOptions)
  const connection = await attempt(house)
  await connection.close()
  const elsewhere = join(folder, 'elsewhere')
  t.equal((await runProgram(t, ['cluster', 'secrets', elsewhere]).ended).code, 0)
  const foreign = credentials(readFileSync(join(elsewhere, 'services', 'house.creds'), 'utf8'))
  await t.rejects(attempt({}), /authorization/i, 'nothing')
  await t.rejects(attempt({ token: 'watchkeeper' }), /authorization/i, 'a token')
  await t.rejects(
    attempt({ user: 'route', pass: /password: "(\w+)"/.exec(secret('nats/routes.conf'))?.[1] ?? '' }),
    /authorization/i,
    'the password of routes',
  )
  await t.rejects(attempt({ authenticator: foreign }), /authorization/i, 'credentials of another cluster')
  await t.rejects(attempt({ ...house, tls: null }), 'no TLS')
  await t.rejects(attempt({ ...house, tls: { caFile: join(elsewhere, 'ca.pem') } }), /certificate/, 'another authority')
})

t.test(
  'NATS server joins the cluster only with a certificate of the authority and the password for routes',
  { timeout: 120_000 },
  async t => {
    const password = /password: "(\w+)"/.exec(secret('nats/routes.conf'))?.[1] ?? ''
    const pair = (of: string) => `cert_file: "${of}/nats/server.pem", key_file: "${of}/nats/server.key"`
    const foreign = `tls { ${pair(join(folder, 'elsewhere'))}, ca_file: "${secrets}/ca.pem" }`
    const stolen = `tls { ${pair(secrets)}, ca_file: "${secrets}/ca.pem", verify: true }`
    const rogues: [title: string, tls: string, route: string][] = [
      ['nothing', '', 'nats://'],
      ['the password without TLS', '', `nats://route:${password}@`],
      ['the password and a certificate of another authority', foreign, `tls://route:${password}@`],
      ['a certificate without the password', stolen, 'tls://'],
      ['a certificate and a wrong password', stolen, 'tls://route:guessed@'],
    ]
    const house1 = await connect(house)
    t.teardown(() => house1.close())
    const startRogue = async (name: string, tls: string, route: string) => {
      const ports = await portsOfServer()
      const routes = `routes: ["${route}localhost:${first.ports.routes}"]`
      const cluster = `cluster {\n name: watchkeeper\n ${routes}\n ${listensForRoutes(ports.routes)} ${tls}\n}`
      const configuration = `${name}.conf`
      writeFileSync(join(folder, configuration), `server_name: ${name}\n${cluster}\n`)
      const server = await startServer({ binary, folder, configuration, name, ports })
      t.teardown(() => server.stop())
      return server
    }
    for (const [index, [title, tls, route]] of rogues.entries()) {
      const rogue = await startRogue(`rogue-${index}`, tls, route)
      const heard: string[] = []
      const listener = await connect({ servers: `localhost:${rogue.ports.client}` })
      listener.subscribe('>', { callback: (_, message) => void heard.push(message.subject) })
      await eventually(
        `the server with ${title} tried more than once`,
        () => (rogue.log().match(/\[ERR\]|connection closed/g) ?? []).length > 2,
      )
      house1.publish('cmd.1.subject', 'a secret')
      await house1.flush()
      await listener.flush()
      t.strictSame(heard, [], `${title}: it hears nothing`)
      await t.rejects(listener.request('ask.list-workspaces', '{}', { timeout: 300 }), `${title}: it reaches nobody`)
      t.strictSame(await routesOf(rogue), [], `${title}: it has no route`)
      t.notOk((await Promise.all(servers.map(routesOf))).flat().includes(rogue.name), `${title}: nobody has one to it`)
      await listener.close()
      await rogue.stop()
    }
    // The same server with the right credentials is accepted, so the refusals above had no other cause.
    const member = await startRogue('nats-3', stolen, `tls://route:${password}@`)
    await eventually('with both it has a route', async () => (await routesOf(member)).includes('nats-0'))
    await member.stop()
  },
)

t.test(
  'services of compose are one installation over this bus, with a store that requires TLS and a password',
  { timeout: 300_000 },
  async t => {
    const storeFolder = join(folder, 'store')
    const { watchkeeper: pwd } = JSON.parse(secret('mongo/passwords.json')) as { watchkeeper: string }
    const open = await startSecantus(['--storage-path', storeFolder, '--sync-on-commit'])
    if (open === null) return
    // Creates the users as infra/compose/replica-set.js does.
    const administrator = await new MongoClient(open.url).connect()
    const roles = [{ role: 'readWrite', db: 'watchkeeper' }]
    await administrator.db('watchkeeper').command({ createUser: 'watchkeeper', pwd, roles })
    await administrator.close()
    await open.stop()
    const pem = join(secrets, 'mongo', 'server.pem')
    const store = await startSecantus(['--storage-path', storeFolder, '--auth', '--tls-cert-file', pem, '--tls-key-file', pem])
    t.teardown(() => store?.stop())
    const storePort = new URL(store?.url ?? '').port

    const compose = parse(readFileSync(join(root, 'infra/compose/compose.yaml'), 'utf8'), { merge: true })
    /** Environment of the container, with the addresses of this test. */
    const environmentOf = (name: string): Record<string, string> => {
      const { environment, env_file = [] } = compose.services[name] as {
        environment: Record<string, string>
        env_file?: string[]
      }
      const lines = env_file.flatMap(file => secret(file.replace('secrets/', '')).trim().split('\n'))
      const all = {
        ...environment,
        ...Object.fromEntries(lines.map(line => [line.split('=')[0], line.slice(line.indexOf('=') + 1)])),
      }
      const here = (value: string) =>
        value
          .replace(/nats-(\d)\.nats:4222/g, (_, index) => `localhost:${servers[Number(index)]?.ports.client}`)
          .replace(/(mongo-\d\.mongo:27017,?)+/, `localhost:${storePort}`)
          .replace('replicaSet=rs0', 'replicaSet=secantus')
          .replaceAll('/etc/watchkeeper/', `${secrets}/`)
          .replaceAll(/\$\{\w+:-(.*?)\}/g, '$1')
      return Object.fromEntries(Object.entries(all).map(([setting, value]) => [setting, here(value as string)]))
    }
    const messages: string[] = []
    const receive = async (request: IncomingMessage) => messages.push(await readText(request))
    const outside = createServer((request, response) => {
      if (request.url === '/hook') void receive(request)
      response.writeHead(request.url === '/hook' ? 200 : 503).end()
    }).listen(0, '127.0.0.1')
    await once(outside, 'listening')
    t.teardown(() => outside.close())
    const outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`

    const holds = { WEBSITE_CONFIRM_AFTER: '1s' }
    const start = (name: string) => runProgram(t, ['start'], { DATA_DIR: join(folder, 'data'), ...holds, ...environmentOf(name) })
    const directory = start('directory')
    await directory.says(/readiness and metrics/)
    const others = Object.fromEntries(['keeper', 'notifier', 'prober', 'gateway'].map(name => [name, start(name)])) as Record<
      string,
      Program
    >
    const [, url = ''] = await (others['gateway'] as Program).says(/listens on (http:\S+?);/)
    for (const program of Object.values({ directory, ...others })) {
      const [, ops = ''] = await program.says(/metrics: (http:\S+)\/readyz/)
      await eventually('it is ready', async () => (await fetch(`${ops}/readyz`)).status === 200)
    }
    const key = readFileSync(join(folder, 'data', 'first-key'), 'utf8').trim()
    const call = async (route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
      const answer = (await (await fetch(`${url}/api${route}`, request)).json()) as { result: never; error: unknown }
      t.equal(answer.error, null, route)
      return answer.result
    }
    const [workspace] = (await call('/v2/workspaces')) as { id: string }[]
    const workspace_id = workspace?.id
    const hook = { name: 'on call', destination_type: 'webhook', url: `${outsideUrl}/hook` }
    await call('/v2/notifications/destinations', { workspace_id, ...hook })
    const monitor = (name: string, location: string) =>
      call('/v2/monitoring/websites', {
        workspace_id,
        name,
        interval: 60,
        request: { url: `${outsideUrl}/`, method: 'GET' },
        response: { statuses: [200] },
        locations: [location],
      })
    const told = (name: string) => eventually(`the webhook is told of ${name}`, () => messages.some(text => text.includes(name)))

    await t.test("check by the installation's own prober leads to a message", async () => {
      await monitor('the shop', 'local')
      await told('the shop')
    })

    const command = (...args: string[]) => runProgram(t, args, { WATCHKEEPER_URL: url, WATCHKEEPER_API_KEY: key }).ended
    await t.test('prober on another machine works until its credentials are revoked', async t => {
      t.match(await command('location', 'create', 'hamburg'), { code: 0 })
      const file = join(folder, 'hamburg.creds')
      const given = await command('prober', 'create', 'hamburg', '--out', file, '--json')
      t.equal(given.code, 0, given.stderr)
      const remote = runProgram(t, ['start'], {
        SERVICES: 'prober',
        NATS_URL: `tls://localhost:${second.ports.client}`,
        NATS_CA_FILE: join(secrets, 'ca.pem'),
        NATS_CREDENTIALS: file,
      })
      await remote.says(/readiness and metrics/)
      await monitor('the branch', 'hamburg')
      await told('the branch')
      const prober = await connect({ ...house, authenticator: credentials(readFileSync(file, 'utf8')), reconnect: false })
      const closed = prober.closed()
      t.match(await command('prober', 'delete', JSON.parse(given.stdout).id), { code: 0 })
      t.ok(await closed, 'whoever is connected with them is cut off, on whatever server')
      await eventually('the prober is refused', () => /refuses the credentials/.test(remote.stderr()))
    })

    await t.test('server stopped as its manifest says first hands over its leaderships, and the cluster continues', async t => {
      // Kubernetes runs this command of preStop, and sends SIGTERM at once afterwards.
      t.equal(spawnSync(binary, ['--signal', `ldm=${second.pid}`]).status, 0)
      await eventually('it is a lame duck', () => /lame duck/i.test(second.log()))
      terminate(second)
      await monitor('the archive', 'local')
      await told('the archive')
      t.equal(await second.ended, 0)
      t.match(second.log(), /Initiating Shutdown/)
      await monitor('the library', 'local')
      await told('the library')
    })

    await t.test('each service ends in order', async t => {
      for (const [name, program] of Object.entries({ ...others, directory })) {
        program.child.kill('SIGTERM')
        const ended = await program.ended
        t.equal(ended.code, 0, `${name}: ${ended.code === 0 ? '' : ended.stderr}`)
        for (const hidden of [key, pwd]) t.notMatch(ended.stdout + ended.stderr, hidden, `${name} says no secret`)
      }
    })
  },
)
