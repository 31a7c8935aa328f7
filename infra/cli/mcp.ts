// `./watchkeeper mcp`: the MCP server on standard input and output, a client of generation 3 of the API. Standard output contains only
// the protocol. Only this command loads the protocol's library. The command reads no data folder.

import { flushCompileCache } from 'node:module'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Command } from 'commander'
import { type ApiClient, createApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'
import { once } from '#shared/async/once.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { readSettings } from '#shared/settings.ts'
import type { McpConnection } from '../../services/mcp/serve.ts'
import { mcpSettings } from '../../services/mcp/settings.ts'
import type { KeyInfo } from '../../services/mcp/tool.ts'
import { exitCodes, StartError, usageError } from '../runtime/start-error.ts'
import { productVersion } from './product-version.ts'

interface McpOptions {
  url?: string
  token?: string
}

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of the Model Context Protocol on standard input and output; see docs/mcp.md')
    .option('--url <url>', 'where the API is served (default: WATCHKEEPER_MCP_URL, else http://localhost:2517)')
    .option('--token <key>', 'the API key (default: WATCHKEEPER_MCP_API_KEY, which other users of the machine cannot read)')
    .action(mcp)
}

/** Serves until standard input ends. Throws a StartError. */
async function mcp(options: McpOptions): Promise<void> {
  const settings = readSettings(mcpSettings, process.env)
  const url = options.url ?? settings.WATCHKEEPER_MCP_URL
  const api = apiOf(url, options.token ?? settings.WATCHKEEPER_MCP_API_KEY)
  // The buffer is as large as the largest message. So the end of standard input is noticed even if the server has not read the message yet.
  const input = new PassThrough({ highWaterMark: clientLimits.mcpMessageBytes })
  const starting = Promise.all([readKey(api, url), import('../../services/mcp/serve.ts')]).then(([key, { serveMcp }]) =>
    serveMcp({ api, key, version: productVersion, input, output: process.stdout, onFailure, onBadMessage }),
  )
  endWithInput(input, starting)
  const connection = await starting.catch(error => {
    // An open standard input would keep the process alive.
    process.stdin.destroy()
    throw error
  })
  // Writes the compile cache now, not at the exit: a host may end the process by a signal, and the next start would compile again.
  flushCompileCache()
  await connection.closed
  if (process.stdin.readableEnded || process.stdout.destroyed) return process.exit(exitCodes.done)
  const most = clientLimits.mcpMessageBytes / 1024 ** 2
  console.error(`The connection is broken: a message has more than ${most} MiB, or standard output can't be written.`)
  process.exit(exitCodes.failed)
}

/** Creates the client of the API. No error contains any part of the key. */
function apiOf(url: string, key: string): ApiClient {
  if (key === '') {
    throw usageError(
      'There is no API key: set WATCHKEEPER_MCP_API_KEY to one that ./watchkeeper key create makes, or give it as --token.',
    )
  }
  try {
    return createApiClient({ url, key, userAgent: `watchkeeper-mcp/${productVersion}` })
  } catch (error) {
    if (error instanceof ApiUnreachable) throw usageError(`Correct WATCHKEEPER_MCP_URL and --url, or the key: ${error.message}.`)
    throw error
  }
}

async function readKey(api: ApiClient, url: string): Promise<KeyInfo> {
  try {
    const { result } = await api.call({ method: 'GET', path: '/key' })
    if (isKeyInfo(result)) return result
    throw new ApiUnreachable(url, 'it returned nothing that describes a key')
  } catch (error) {
    throw sentenceOf(error)
  }
}

const isKeyInfo = (value: unknown): value is KeyInfo => isObject(value) && Array.isArray(value['access']) && 'workspace' in value

function sentenceOf(error: unknown): unknown {
  if (error instanceof ApiRefusal && error.status === 401) {
    const why = 'it is unknown, expired or deleted, or its owner is disabled or has left the workspace'
    return new StartError(`The API key is refused: ${why}. Make another one with ./watchkeeper key create.`)
  }
  if (error instanceof ApiRefusal) return new StartError(`Watchkeeper refused to describe the key: ${error.message}.`)
  if (!(error instanceof ApiUnreachable)) return error
  const sentence = `Watchkeeper can't be reached at ${error.base} (${error.message})`
  return new StartError(`${sentence}: start it, update it, or correct WATCHKEEPER_MCP_URL or --url.`, exitCodes.notRunning)
}

/** Forwards standard input. After the end of standard input, open requests still get responses for a short time. */
function endWithInput(input: PassThrough, starting: Promise<McpConnection>): void {
  process.stdin.pipe(input, { end: false })
  process.stdin.once('end', () => {
    const late = setTimeout(() => process.exit(exitCodes.done), clientLimits.mcpLastAnswersMs)
    // A failed start is ignored here, because the start reports its own error.
    void starting.then(finish, () => clearTimeout(late))
  })
  const finish = async (connection: McpConnection) => {
    // After a message is read, a few turns of the event loop pass before its tool starts.
    for (let quiet = 0; quiet < 10; quiet++) {
      await nextTurn()
      if (input.readableLength > 0 || (await connection.idle())) quiet = 0
    }
    await connection.close()
  }
}

/** Loads the logger only at the first log message, because most sessions log nothing. */
const logger = once(async () => (await import('#shared/observability/logger.ts')).createLogger('info'))

async function onFailure(tool: string, error: unknown): Promise<void> {
  const log = await logger()
  if (error instanceof ApiUnreachable) log.warn({ tool, reason: error.message }, 'api unreachable')
  else log.error({ tool, err: error }, 'tool failed')
}

async function onBadMessage({ message }: Error): Promise<void> {
  ;(await logger()).warn({ reason: message.slice(0, 200) }, 'protocol message refused')
}
