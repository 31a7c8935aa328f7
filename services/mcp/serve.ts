// MCP server on standard input and output, for older and newer versions of the protocol.

import type { Readable, Writable } from 'node:stream'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { instructions } from './instructions.ts'
import { type Calling, runTool } from './run-tool.ts'
import type { Tool } from './tool.ts'
import { toolsFor } from './tools.ts'

export interface Serving extends Omit<Calling, 'signal'> {
  version: string
  input: Readable
  output: Writable
  /** Called for a message that breaks the protocol, or that is larger than clientLimits.mcpMessageBytes. */
  onBadMessage(error: Error): void
}

export interface McpConnection {
  /** Resolves when no tool is running any more. The result is true if a tool was running when `idle` was called. */
  idle(): Promise<boolean>
  /** Resolves when the connection ends: by `close`, by the end of the output, or after a message that was too large. */
  closed: Promise<void>
  close(): Promise<void>
}

/** Returns the connection at once. The server responds to requests from then on. */
export function serveMcp({ version, input, output, onBadMessage, ...calling }: Serving): McpConnection {
  const running = new Set<Promise<unknown>>()
  const over = Promise.withResolvers<void>()
  const transport = new EndingTransport(input, output, { maxBufferSize: clientLimits.mcpMessageBytes })
  transport.onOver = over.resolve
  const register = (server: McpServer, tool: Tool) =>
    server.registerTool(tool.name, configOf(tool), async (args, { mcpReq: { signal } }) => {
      const reply = runTool(tool, args, { ...calling, signal })
      running.add(reply)
      return reply.finally(() => running.delete(reply))
    })
  const handle = serveStdio(
    () => {
      const server = new McpServer(
        { name: 'watchkeeper', title: 'Watchkeeper', version },
        { instructions, capabilities: { tools: {} } },
      )
      for (const tool of toolsFor(calling.key)) register(server, tool)
      return server
    },
    { transport, onerror: onBadMessage },
  )
  return {
    idle: async () => {
      const isBusy = running.size > 0
      while (running.size > 0) await Promise.all(running)
      return isBusy
    },
    closed: over.promise,
    close: () => handle.close(),
  }
}

/**
 * Transport that reports when it closes, and responds to a line that is no JSON. The library's own transport does not report this if it
 * closes by itself, and it skips such a line without a word.
 */
class EndingTransport extends StdioServerTransport {
  onOver: () => void = () => undefined
  readonly #input: Readable
  readonly #onData: (chunk: Buffer) => void

  constructor(input: Readable, output: Writable, options: { maxBufferSize: number }) {
    super(input, output, options)
    this.#input = input
    this.#onData = eachLine(options.maxBufferSize, line => {
      if (!isJson(line)) output.write(`${JSON.stringify(parseError)}\n`)
    })
  }

  override async start(): Promise<void> {
    await super.start()
    this.#input.on('data', this.#onData)
  }

  override async close(): Promise<void> {
    // The library pauses the input if nobody else listens.
    this.#input.off('data', this.#onData)
    await super.close()
    this.onOver()
  }
}

/** JSON-RPC 2.0, 5.1: the id is null if the id of the request could not be read. */
const parseError = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error: the line is no JSON' } }

/** Returns a listener that calls `onLine` for every line with a character. It stops at a line of more than `most` bytes. */
function eachLine(most: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let bytes = 0
  return chunk => {
    let rest = chunk
    for (let end = rest.indexOf(10); end >= 0 && bytes <= most; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString()
      rest = rest.subarray(end + 1)
      parts = []
      bytes = 0
      if (line.trim() !== '') onLine(line)
    }
    bytes += rest.length
    // A longer line ends the connection.
    parts = bytes <= most ? [...parts, rest] : []
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function configOf(tool: Tool) {
  const { title, description, result, effect, isOpenWorld = false } = tool
  const { required = [], ...schema } = tool.arguments
  const properties = {
    result: { type: result },
    ...('cursor' in tool.arguments.properties ? { next_cursor: { type: 'string' } } : {}),
  }
  return {
    title,
    description,
    inputSchema: fromJsonSchema<Record<string, unknown>>({ ...schema, ...(required.length > 0 ? { required } : {}) }, unchecked),
    outputSchema: fromJsonSchema<Record<string, unknown>>({ type: 'object', properties, required: ['result'] }, unchecked),
    annotations: {
      readOnlyHint: effect === 'reads',
      // The hint means something only of a tool that changes.
      ...(effect === 'reads' ? {} : { destructiveHint: effect === 'destroys' }),
      openWorldHint: isOpenWorld,
    },
  }
}

/** The MCP library must not check arguments: `runTool` checks them, and its refusals have the form of the API's refusals. */
const unchecked = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
}
