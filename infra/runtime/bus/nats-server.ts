// The embedded bus: one nats-server as a child, on loopback unless a setting says otherwise, its store and its config in `<data
// folder>/bus`. It ends when its parent ends in any way, and never sooner: the terminal's Ctrl-C does not reach it.
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
  /** As `obtainNatsServer` answers it. */
  binary: string
  dataFolder: string
  /** 0 takes a free one. */
  port: number
  logger?: Logger
  /** Times what is said of its log; unset: the system's. */
  clock?: Clock
  /** The address to listen on; unset: loopback. */
  host?: string
  /** The keys that its clients are known by; unset: one token that may do everything. */
  keys?: BusKeys
  /** Files with a certificate and its key, PEM: clients may then speak TLS. */
  tls?: { cert: string; key: string }
}

export interface NatsServer {
  url: string
  /** A secret that gives every right on this bus. Empty if the server has keys. */
  token: string
  /** Of the nats-server itself. */
  pid: number
  /** The exit code when it ends, for whatever reason; null where a signal ended it. */
  exited: Promise<number | null>
  /** Resolves when it could not write to a stream: for that one it takes nothing any more, room or not, until it is started anew. */
  broken: Promise<void>
  /** Ends it with grace, with force after 5 s. Resolves when it is gone; may be called again. */
  stop(): Promise<void>
}

const loopback = '127.0.0.1'

/**
 * A shell between this process and the server. This process alone holds its standard input open: when this process is gone, even by kill
 * -9, reading ends and the shell stops the server. `$1` binary, `$2` config, `$3` file for the process ids. `sleep` must be found with any
 * PATH: without it the server would be killed at once instead of after 5 s.
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

/** Starts the server and resolves when it answers. Throws an Error with a sentence where it can't be started. */
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
    // A soft limit for Go's collector: above it, it collects more often instead of growing.
    env: { GOMEMLIMIT: limits.bus.serverMemory, ...process.env },
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
 * `sync_interval`: a stream acknowledges once the operating system has the bytes, so a killed process loses nothing. Only a
 * power failure or a kernel crash can lose what was not yet flushed: 10 s at most here, against 2 minutes by default. What
 * could be lost is check results not yet judged (their slots count as not checked) and assignments, which the keepers restore
 * from the store; what was judged is in the store. Flushing before each acknowledgement would cost most of the publish rate.
 * `max_payload`: a request body of 1 MiB and its envelope.
 * `max_file_store`: otherwise three quarters of what the disk has free at the start, and less than a stream may grow to is refused.
 * `default_max_consumers` stays what the server says, 1,000 a stream from 2.15 on: one process needs 64 and what a restart leaves behind for
 * 2 minutes, each costs memory, and a server before 2.15 refuses to start with a setting that it does not know.
 */
function configLines(folder: string, host: string, { port, tls }: NatsServerOptions): string[] {
  const files = tls === undefined ? [] : [`cert_file: ${JSON.stringify(tls.cert)}`, `key_file: ${JSON.stringify(tls.key)}`]
  return [
    `host: ${JSON.stringify(host)}`,
    `port: ${port === 0 ? -1 : port}`,
    'server_name: "watchkeeper"',
    'max_payload: 2MB',
    `jetstream { store_dir: ${JSON.stringify(folder)}, sync_interval: "10s", max_file_store: ${limits.bus.serverFileBytes} }`,
    // The installation's own services come over loopback and need no certificate; a prober with a `tls://` address insists on one.
    ...(files.length === 0 ? [] : [`tls { ${files.join(', ')} }`, 'allow_non_tls: true']),
  ]
}

/** How this machine reaches a server that listens there. */
const ownAddress = (host: string): string => (host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host)

/** Returns the token of an earlier start, so that its holders may come back; else a new one of 192 random bits. */
async function keptToken(config: string): Promise<string> {
  const text = await readFile(config, 'utf8').catch(() => '')
  return /token: "([0-9a-f]{48})"/.exec(text)?.[1] ?? randomBytes(24).toString('hex')
}

async function writeConfig(config: string, text: string): Promise<void> {
  const draft = `${config}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, config)
}

/** Resolves when the child ended and its last words have been read, or start-up has taken too long. */
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

/** Follows the server's log for as long as it lives; resolves with the port it says it listens on. */
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

/** Resolves when the server greets a client. */
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
    // Gone in the meantime.
  }
  await exited
}
