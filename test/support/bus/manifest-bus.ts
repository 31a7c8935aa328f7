// The three NATS servers of the manifests as processes on loopback. They use the configuration file that compose mounts and Kubernetes
// embeds. Only ports, addresses and folders differ; options of nats-server, the environment and the test's secrets set these.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../free-ports.ts'

export interface ManifestServer {
  name: string
  /** Process id of nats-server itself. */
  pid: number
  ports: { client: number; routes: number; monitor: number }
  log(): string
  /** Resolves with the exit code; null after a signal. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

export interface ServerOptions {
  binary: string
  /** Working directory of the server, with its configuration. */
  folder: string
  configuration: string
  name: string
  ports: ManifestServer['ports']
}

const top = join(import.meta.dirname, '..', '..', '..')
export const natsConfiguration = join(top, 'infra', 'compose', 'nats.conf')

/** Shell script that ends its server when this process ends. The first line of its output is the server's process id. */
const guardian = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
echo "$server"
( while read -r _ <&3; do :; done; kill -TERM "$server"; sleep 2; kill -KILL "$server" ) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`

/**
 * Resolves when all three servers listen. They connect to each other only afterwards. `secrets` is a folder that `./watchkeeper cluster
 * secrets` made.
 */
export async function startManifestBus(binary: string, secrets: string, folder: string): Promise<ManifestServer[]> {
  const names = ['nats-0', 'nats-1', 'nats-2']
  const ports = await Promise.all(names.map(portsOfServer))
  return Promise.all(
    names.map((name, index) => {
      const own = join(folder, name)
      mkdirSync(own)
      symlinkSync(natsConfiguration, join(own, 'nats.conf'))
      const given = ports[index] as ManifestServer['ports']
      copyBusSecrets(join(secrets, 'nats'), own, ports, given.routes)
      return startServer({ binary, folder: own, configuration: 'nats.conf', name, ports: given })
    }),
  )
}

/**
 * Starts a server with the environment that the manifests set. The option `--cluster_listen` is not used, because it clears the password of
 * routes.
 */
export async function startServer({ binary, folder, configuration, name, ports }: ServerOptions): Promise<ManifestServer> {
  const own = ['--addr', '127.0.0.1', '--port', String(ports.client), '--http_port', String(ports.monitor)]
  const words = [binary, '--config', configuration, ...own]
  const child = spawn('/bin/sh', ['-c', guardian, 'sh', ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], STORE_DIR: join(folder, 'store'), SERVER_NAME: name },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', chunk => {
    log += chunk
  })
  const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
  const [pid] = (await once(child.stdout, 'data')) as [Buffer]
  await says(child, () => log, /Server is ready/)
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { name, pid: Number(String(pid).trim()), ports, log: () => log, ended, stop }
}

/** Returns a line of the block `cluster`. nats-server uses the last of several such lines. */
export const listensForRoutes = (port: number): string => `listen: "127.0.0.1:${port}"\n`

export async function portsOfServer(): Promise<ManifestServer['ports']> {
  const [client = 0, routes = 0, monitor = 0] = await freePorts(3)
  return { client, routes, monitor }
}

/** Gives each server its own folder of accounts, and the ports of the other servers. */
function copyBusSecrets(from: string, own: string, ports: ManifestServer['ports'][], port: number): void {
  const to = join(own, 'secrets')
  cpSync(from, to, { recursive: true })
  const change = (name: string, changed: (text: string) => string) =>
    writeFileSync(join(to, name), changed(readFileSync(join(to, name), 'utf8')))
  change('accounts.conf', text => text.replace('"/data/accounts"', JSON.stringify(join(own, 'accounts'))))
  const here = (text: string) => text.replace(/nats-(\d)\.nats:6222/g, (_, index) => `localhost:${ports[Number(index)]?.routes}`)
  change('routes.conf', text => `${here(text)}${listensForRoutes(port)}`)
}

async function says(child: ChildProcess, said: () => string, pattern: RegExp): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = () => pattern.test(said()) && resolve()
    child.stderr?.on('data', look)
    child.once('exit', () => reject(new Error(`nats-server ended: ${said()}`)))
    look()
  })
}
