// Log lines of the embedded nats-server. Each refused message of a client makes the server log a line: such lines are counted and logged
// once a minute. The server's own lines are logged as they come, within a bound. Costs one search for the end of each line.
import type { Readable } from 'node:stream'
import { createAllowance } from '#shared/async/allowance.ts'
import { createSeldom } from '#shared/async/seldom.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface ServerLogOptions {
  clock: Clock
  logger: Logger | undefined
  /** It listens on this port. */
  onListening(port: number): void
  /** It could not write to a stream. */
  onBroken(): void
}

export interface ServerLog {
  /** The newest complaint; null: there was none. */
  complaint(): string | null
}

/** Lines a second, and at once, that are read: it says about 30 when it starts. */
const linesPerSecond = 50
const linesAtOnce = 500
/** Characters of a line that are quoted: a client's subject may have 4,000. */
const quoted = 500

const newline = 0x0a
const brokenWords = 'critical write error'

/** Follows the log until it ends. */
export function followServerLog(log: Readable, options: ServerLogOptions): ServerLog {
  const { clock, logger } = options
  const allowance = createAllowance(clock, linesPerSecond, linesAtOnce)
  const seldom = createSeldom<string>(clock, (_, first, count) =>
    logger?.warn({ first, count }, 'bus server refused what clients sent'),
  )
  let complaint: string | null = null
  let rest = Buffer.alloc(0)

  const read = (line: string) => {
    const [, level, said = line] = /\[(INF|WRN|ERR|FTL)\] (.*)/.exec(line) ?? []
    const [, port] = /Listening for client connections on .*:(\d+)$/.exec(line) ?? []
    if (port !== undefined) options.onListening(Number(port))
    // Its own words: further on, a line may quote what somebody sent who is not even let in.
    if (level === 'ERR' && /^JetStream .* critical write error: /.test(said)) options.onBroken()
    if (level === 'INF') logger?.debug({ said }, 'bus server said')
    else if (isOfClient(said)) seldom.note('clients', said.slice(0, quoted))
    else if (line.trim() !== '') {
      complaint = said
      logger?.warn({ said: said.slice(0, quoted) }, 'bus server complained')
    }
  }
  const take = (line: Buffer) => {
    if (allowance.take(1, 0) !== null || line.includes(brokenWords)) read(line.toString())
    else seldom.note('clients', 'more lines than are read')
  }
  log.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      take(bytes.subarray(start, end))
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
  })
  log.once('close', () => {
    if (rest.length > 0) read(rest.toString())
    seldom.stop()
  })
  return { complaint: () => complaint }
}

/** `address - cid:7 - …`: about one connection of a client. */
const isOfClient = (said: string): boolean => / - cid:\d+ - /.test(said.slice(0, quoted))
