// Clients of the MCP server from its official libraries, in TypeScript and in Python, with one interface. Each client starts `./watchkeeper
// mcp` as a host does, and validates every structured result against the output schema of the called tool.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { compileCache } from '../../infra/run-program.ts'
import { pythonPackage } from '../python-package.ts'

const root = join(import.meta.dirname, '../../..')
const main = join(root, 'infra/cli/main.ts')

export interface ListedTool {
  name: string
  title?: string
  description?: string
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  annotations?: Record<string, unknown>
}

export interface Reply {
  isError?: boolean
  content: { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  structuredContent?: any
}

export interface McpClient {
  protocol: string
  instructions: string
  list(): Promise<ListedTool[]>
  call(name: string, args?: object): Promise<Reply>
  close(): Promise<void>
}

export interface Target {
  url: string
  key: string
  /** More variables of the server's environment. */
  environment?: Readonly<Record<string, string>>
}

/** Revisions of MCP that a client uses. `2025`: opens with `initialize`. `2026`: uses only revision 2026. `auto`: asks the server first. */
export const modes = ['2025', '2026', 'auto'] as const
export type Mode = (typeof modes)[number]
const modern = '2026-07-28'

const environmentOf = ({ url, key, environment = {} }: Target): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  ...compileCache(),
  WATCHKEEPER_MCP_URL: url,
  WATCHKEEPER_MCP_API_KEY: key,
  ...environment,
})

export async function typescriptClient(target: Target, mode: Mode): Promise<McpClient> {
  const asked = mode === '2025' ? ('legacy' as const) : mode === '2026' ? { pin: modern } : ('auto' as const)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: asked } })
  const env = environmentOf(target)
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], cwd: root, env }))
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    instructions: client.getInstructions() ?? '',
    list: async () => (await client.listTools()).tools as ListedTool[],
    call: async (name, args = {}) => (await client.callTool({ name, arguments: { ...args } })) as Reply,
    close: () => client.close(),
  }
}

const program = `
import asyncio, json, sys
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

mode, command, env = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])

def say(value):
    print(json.dumps(value), flush=True)

async def main():
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with Client(server, mode=mode) as client:
        say({'protocol': client.protocol_version, 'instructions': client.instructions or ''})
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            try:
                if asked['method'] == 'list':
                    found = await client.list_tools()
                    result = [tool.model_dump(mode='json', by_alias=True, exclude_none=True) for tool in found.tools]
                else:
                    reply = await client.call_tool(asked['name'], asked['args'])
                    result = reply.model_dump(mode='json', by_alias=True, exclude_none=True)
                    # An absent member and a null one are the same to the model, and not in what was sent.
                    result.pop('structuredContent', None)
                    if reply.structured_content is not None:
                        result['structuredContent'] = reply.structured_content
                say({'result': result})
            except Exception as error:
                say({'error': repr(error)})

asyncio.run(main())
`

/** Returns null after a visible warning if the library cannot be installed; rejects instead with CI=true. */
export async function pythonLibrary(): Promise<string | null> {
  return pythonPackage({
    name: 'mcp',
    version: '2.3.0',
    skipped: 'the MCP server driven by the Python library',
    remedy: 'install Python 3.11 or later with pip',
  })
}

export async function pythonClient(library: string, target: Target, mode: Mode): Promise<McpClient> {
  const asked = mode === '2025' ? 'legacy' : mode === '2026' ? modern : 'auto'
  const command = [process.execPath, main, 'mcp']
  const env = environmentOf(target)
  const child = spawn('python3', ['-c', program, asked, JSON.stringify(command), JSON.stringify(env)], {
    cwd: root,
    env: { ...env, PYTHONPATH: library },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the Python client ended')
    return JSON.parse(value) as { protocol: string; instructions: string; result: never; error?: string }
  }
  const ask = async (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { result, error } = await next()
    if (error !== undefined) throw new Error(error)
    return result
  }
  const { protocol, instructions } = await next()
  return {
    protocol,
    instructions,
    list: () => ask({ method: 'list' }),
    call: (name, args = {}) => ask({ method: 'call', name, args }),
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}
