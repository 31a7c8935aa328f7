// Baseline of the MCP server: a server of the same library with one tool that does nothing. Written in JavaScript, so that nothing is
// compiled.
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

serveStdio(() => {
  const server = new McpServer({ name: 'one-tool', version: '1' })
  const inputSchema = fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false })
  server.registerTool('echo', { description: 'Says what it is told.', inputSchema }, async ({ text = '' }) => ({
    content: [{ type: 'text', text: String(text) }],
  }))
  return server
})
