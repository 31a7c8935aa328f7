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

/** Transport that reports when it closes. The library's own transport does not report this if it closes by itself. */
class EndingTransport extends StdioServerTransport {
  onOver: () => void = () => undefined

  override async close(): Promise<void> {
    await super.close()
    this.onOver()
  }
}

function configOf(tool: Tool) {
  const { title, description, result, effect, isOpenWorld = false } = tool
  const properties = { result, next_cursor: { type: 'string' } }
  return {
    title,
    description,
    inputSchema: fromJsonSchema<Record<string, unknown>>({ ...tool.arguments }, unchecked),
    outputSchema: fromJsonSchema<Record<string, unknown>>({ type: 'object', properties, required: ['result'] }, unchecked),
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      openWorldHint: isOpenWorld,
    },
  }
}

/** The MCP library must not check arguments: `runTool` checks them, and its refusals have the form of the API's refusals. */
const unchecked = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
}
