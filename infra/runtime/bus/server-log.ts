// Log lines of the embedded nats-server. The server logs a line for every refused message of a client. These lines are counted, and the
// count is logged once a minute. Lines about the server itself are logged singly, up to a bound.
import type { Readable } from 'node:stream'
import { createAllowance } from '#shared/async/allowance.ts'
import { createSeldom } from '#shared/async/seldom.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface ServerLogOptions {
  clock: Clock
  logger: Logger | undefined
  onListening(port: number): void
  /** Called when the server could not write to a stream. */
  onBroken(): void
}

export interface ServerLog {
  /** Returns the newest warning or error; null: none. */
  complaint(): string | null
}

/**
 * Largest number of the server's lines that are read in a second, and largest number that are read at once. The server logs about 30 lines
 * at its start.
 */
const linesPerSecond = 50
const linesAtOnce = 500
/** Largest number of quoted characters of a line, because the subject in a line may have 4,000 characters. */
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
    // Matches only the beginning of a line, because later parts may quote data of a client that is not authenticated.
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

/** Returns true for `address - cid:7 - …`, a line about one connection of a client. */
const isOfClient = (said: string): boolean => / - cid:\d+ - /.test(said.slice(0, quoted))
