// MCP server, started as a host starts it, alternating with a one-tool server of the same library: time to the first response, and resident
// memory after a list of tools and one call.

import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endChild, startChild, usageOfTree } from '../run/processes.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median, summarize } from '../run/statistics.ts'

const root = join(import.meta.dirname, '..', '..', '..')
/** Permitted time (s) and memory (MB) in addition to those of the server with one tool. */
const budgets = { first: 0.2, resident: 20 }

interface Server {
  name: string
  argv: string[]
  env: Record<string, string>
  tool: { name: string; arguments: object }
}

interface Start {
  firstMs: number
  residentBytes: number
}

export async function mcp(run: Run): Promise<PartResult> {
  return run.withSystem(async system => {
    await system.start()
    const env = { WATCHKEEPER_MCP_URL: system.url, WATCHKEEPER_MCP_API_KEY: await system.key() }
    const ours: Server = {
      name: './watchkeeper mcp',
      argv: [join(root, 'infra', 'cli', 'watchkeeper.js'), 'mcp'],
      env,
      tool: { name: 'list_workspaces', arguments: {} },
    }
    const bare: Server = {
      name: 'server with one tool',
      argv: [join(root, 'test', 'bench', 'bare', 'one-tool-server.js')],
      env: {},
      tool: { name: 'echo', arguments: { text: 'a' } },
    }
    // The first start compiles the modules.
    for (const server of [ours, bare]) await measure(server)
    const found = { ours: [] as Start[], bare: [] as Start[] }
    for (let i = 0; i < (run.options.quick ? 3 : 20); i++) {
      found.ours.push(await measure(ours))
      found.bare.push(await measure(bare))
    }
    return resultOf(found.ours, found.bare)
  })
}

function resultOf(ours: readonly Start[], bare: readonly Start[]): PartResult {
  const beyond = (of: (start: Start) => number) => median(ours.map(of)) - median(bare.map(of))
  const lower = { better: 'lower' } as const
  return {
    quantities: [
      quantity(
        'mcp',
        'first answer, beyond a server of the library with one tool',
        's',
        beyond(({ firstMs }) => firstMs) / 1_000,
        {
          ...lower,
          budget: budgets.first,
        },
      ),
      quantity('mcp', 'resident, beyond a server of the library with one tool', 'MB', beyond(one => one.residentBytes) / 1e6, {
        ...lower,
        budget: budgets.resident,
      }),
    ],
    details: [{ title: 'MCP servers from their start', rows: [rowOf('./watchkeeper mcp', ours), rowOf('one tool', bare)] }],
  }
}

function rowOf(server: string, starts: readonly Start[]) {
  const { p50, p95 } = summarize(starts.map(({ firstMs }) => firstMs))
  const resident = median(starts.map(({ residentBytes }) => residentBytes))
  const times = { 'first answer ms, p50': Math.round(p50), p95: Math.round(p95) }
  return { server, ...times, 'resident MB': Math.round(resident / 1e6) }
}

async function measure({ argv, env, tool }: Server): Promise<Start> {
  const startedAt = performance.now()
  const child = startChild(argv, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { stdin, stdout, pid } = child
  if (stdin === null || stdout === null || pid === undefined) throw new Error('the server has no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value } = await lines.next()
    const { error, result } = JSON.parse(value ?? '{}')
    if (error !== undefined || result.isError) throw new Error(`${method} was refused: ${value}`)
  }
  const clientInfo = { name: 'bench', version: '1' }
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const firstMs = performance.now() - startedAt
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  await ask(2, 'tools/list', {})
  await ask(3, 'tools/call', tool)
  const { residentBytes } = usageOfTree(pid)
  stdin.end()
  await endChild(child, 'SIGTERM')
  return { firstMs, residentBytes }
}
