// The embedded bus: one nats-server as a child process, on loopback by default, with its store and config in `<data folder>/bus`. The
// server ends when this process ends, for any reason. Ctrl-C at the terminal does not reach the server, so it never ends before this
// process.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type BusKeys, serverAuthorization } from '#shared/bus/probers/bus-keys.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import { followServerLog } from './server-log.ts'
import { clearStaleServer } from './stale-nats-server.ts'

export { obtainNatsServer } from './obtain-nats-server.ts'

export interface NatsServerOptions {
  /** Path of the binary, from `obtainNatsServer`. */
  binary: string
  dataFolder: string
  /** Port to listen on; 0: any free port. */
  port: number
  logger?: Logger
  /** Clock for the bounds on log lines; unset: the system's clock. */
  clock?: Clock
  /** Address to listen on; unset: loopback. */
  host?: string
  /** Keys that authenticate clients; unset: one token with all rights. */
  keys?: BusKeys
  /** PEM files with a certificate and its key: clients may then use TLS. */
  tls?: { cert: string; key: string }
}

export interface NatsServer {
  url: string
  /** Secret with all rights on this bus. Empty if the server has keys. */
  token: string
  /** Process id of the nats-server itself. */
  pid: number
  /** Resolves to the exit code when the server ends; null: a signal ended it. */
  exited: Promise<number | null>
  /** Resolves after a failed write to a stream. Until a restart, the server then accepts nothing for this stream, even with free space. */
  broken: Promise<void>
  /** Stops the server, by force after 5 s. Resolves when the server has ended. May be called again. */
  stop(): Promise<void>
}

const loopback = '127.0.0.1'

/**
 * A shell between this process and the server. The shell reads its standard input, which only this process holds open. When this process
 * ends, even by kill -9, the read ends and the shell stops the server. `$1` is the binary, `$2` the config, `$3` the file for the process
 * ids. The PATH must contain `sleep`. Without `sleep`, the shell would kill the server at once instead of after 5 s.
 */
const guardian = `
PATH="$PATH:/usr/bin:/bin"
exec 3<&0
"$1" -c "$2" </dev/null 3<&- &
server=$!
echo "$PPID $$ $server" > "$3"
echo "$server"
(
  while read -r _ <&3; do :; done
  kill -TERM "$server"
  tries=0
  while [ "$tries" -lt 50 ] && kill -0 "$server"; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$server"
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`

/** Starts the server and resolves when it responds. Throws an Error with a sentence for people. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  if (process.platform === 'win32')
    throw new Error('The embedded bus needs a POSIX shell: set NATS_URL to a running nats-server.')
  const folder = resolve(options.dataFolder, 'bus')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const config = join(folder, 'nats-server.conf')
  const processIds = join(folder, 'nats-server.pid')
  await clearStaleServer(processIds, config)
  const host = options.host ?? loopback
  const token = options.keys === undefined ? await keptToken(config) : ''
  const known =
    options.keys === undefined
      ? [`authorization { token: "${token}" }`]
      : serverAuthorization(options.keys, join(folder, 'accounts'))
  await writeConfig(config, [...configLines(folder, host, options), ...known, ''].join('\n'))

  const child = spawn('/bin/sh', ['-c', guardian, 'sh', options.binary, config, processIds], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { GOGC: `${limits.bus.serverGrowthPercent}`, GOMEMLIMIT: limits.bus.serverMemory, ...process.env },
  })
  const exited = new Promise<number | null>(settle => {
    child.once('exit', code => settle(code))
    child.once('error', () => settle(null))
  })
  child.stdin.on('error', () => undefined)
  const stop = () => stopChild(child, exited)
  const broken = Promise.withResolvers<void>()
  try {
    const failed = failure(child)
    const [pid, port] = await Promise.all([firstLine(child, failed), listening(child, failed, options, broken.resolve)])
    const own = ownAddress(host)
    await answers(own, port)
    return {
      url: `nats://${own.includes(':') ? `[${own}]` : own}:${port}`,
      token,
      pid: Number(pid),
      exited,
      broken: broken.promise,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * `sync_interval`: a stream acknowledges once the operating system has the bytes, so a killed process loses nothing. Only a power failure
 * or a kernel crash loses unflushed bytes. With `sync_interval` of 10 s, at most the bytes of the last 10 s are unflushed; with the
 * server's default, those of the last 2 minutes. If check results are lost, their slots count as not checked. If assignments are lost,
 * keepers restore them from the store. A flush before each acknowledgement would cost most of the publish rate. `max_payload` is large
 * enough for a message that contains a request body of 1 MiB. `max_file_store` replaces the default of three quarters of the free disk
 * space, because the server refuses a stream that may exceed this bound. `default_max_consumers` stays at the server's default (1,000 a
 * stream since 2.15), because older servers refuse to start with an unknown setting. A process needs 64 consumers of a stream. After a
 * restart, the 64 consumers of the earlier process remain for 2 minutes.
 */
function configLines(folder: string, host: string, { port, tls }: NatsServerOptions): string[] {
  const files = tls === undefined ? [] : [`cert_file: ${JSON.stringify(tls.cert)}`, `key_file: ${JSON.stringify(tls.key)}`]
  return [
    `host: ${JSON.stringify(host)}`,
    `port: ${port === 0 ? -1 : port}`,
    'server_name: "watchkeeper"',
    'max_payload: 2MB',
    `jetstream { store_dir: ${JSON.stringify(folder)}, sync_interval: "10s", max_file_store: ${limits.bus.serverFileBytes} }`,
    // The installation's own services connect over loopback without TLS; a prober with a `tls://` address requires TLS.
    ...(files.length === 0 ? [] : [`tls { ${files.join(', ')} }`, 'allow_non_tls: true']),
  ]
}

/** Returns the address by which this machine reaches a server that listens at `host`. */
const ownAddress = (host: string): string => (host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host)

/**
 * Returns the token of the earlier start, so that clients with this token can reconnect. If there is none, returns a new token of 192
 * random bits.
 */
async function keptToken(config: string): Promise<string> {
  const text = await readFile(config, 'utf8').catch(() => '')
  return /token: "([0-9a-f]{48})"/.exec(text)?.[1] ?? randomBytes(24).toString('hex')
}

async function writeConfig(config: string, text: string): Promise<void> {
  const draft = `${config}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, config)
}

/** Resolves when the child has ended and its output was read, or when the start takes too long. */
async function failure(child: ChildProcess): Promise<void> {
  const patience = new AbortController()
  const late = pause(limits.start.patienceMs, undefined, { signal: patience.signal, ref: false }).catch(() => undefined)
  await Promise.race([new Promise<void>(settle => child.once('close', () => settle())), late])
  patience.abort()
}

async function firstLine(child: ChildProcess, failed: Promise<void>): Promise<string> {
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
  const line = new Promise<string>(settle => lines.once('line', settle))
  return orFailure(line, failed, () => 'it could not be run')
}

/** Follows the server's log until it ends. Resolves to the port that the log names. */
async function listening(
  child: ChildProcess,
  failed: Promise<void>,
  { logger, clock = createSystemClock() }: Pick<NatsServerOptions, 'logger' | 'clock'>,
  onBroken: () => void,
): Promise<number> {
  const { promise: port, resolve: onListening } = Promise.withResolvers<number>()
  const log = followServerLog(child.stderr as NonNullable<typeof child.stderr>, { clock, logger, onListening, onBroken })
  return orFailure(port, failed, () => log.complaint() ?? 'it did not say why')
}

async function orFailure<T>(wanted: Promise<T>, failed: Promise<void>, complaint: () => string): Promise<T> {
  const given = await Promise.race([wanted.then(value => ({ value })), failed.then(() => null)])
  if (given) return given.value
  throw new Error(`The embedded nats-server did not start: ${complaint()}.`)
}

/** Resolves when the server sends its greeting to a client. */
async function answers(host: string, port: number): Promise<void> {
  await new Promise<void>((settle, fail) => {
    const socket = connect({ host, port })
    socket.setTimeout(limits.start.patienceMs, () => socket.destroy(new Error('The embedded nats-server does not answer.')))
    socket.once('error', fail)
    socket.once('data', () => {
      socket.destroy()
      settle()
    })
  })
}

async function stopChild(child: ChildProcess, exited: Promise<number | null>): Promise<void> {
  child.stdin?.end()
  const patience = new AbortController()
  const late = pause(limits.tools.stopMs, true, { signal: patience.signal }).catch(() => false)
  const forced = await Promise.race([exited.then(() => false), late])
  patience.abort()
  if (!forced || child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Ignores the error: the process has already ended.
  }
  await exited
}
