// The host configurations of docs/mcp.md: each is valid, starts `./watchkeeper mcp`, and sets only settings of the MCP server.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mcpSettings } from '../../services/mcp/settings.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)

interface Started {
  command: string
  args: string[]
  env: Record<string, string>
}

/** Every object of a configuration that starts a command. */
function startedBy(value: unknown): Started[] {
  if (typeof value !== 'object' || value === null) return []
  if ('command' in value && 'args' in value) return [value as Started]
  return Object.values(value).flatMap(startedBy)
}

t.test('JSON configuration of each host starts the MCP server with known settings', async t => {
  const configurations = blocksOf('json').map(text => JSON.parse(text) as Record<string, unknown>)
  t.strictSame(
    configurations.map(one => Object.keys(one).at(-1)),
    ['mcpServers', 'servers', 'context_servers'],
  )
  for (const configuration of configurations) {
    const [{ command, args, env }, ...others] = startedBy(configuration) as [Started]
    t.strictSame([command, args, others], ['/opt/watchkeeper/watchkeeper', ['mcp'], []])
    t.strictSame(
      Object.keys(env).filter(name => !(name in mcpSettings)),
      [],
    )
    t.ok(env['WATCHKEEPER_MCP_API_KEY'])
  }
})

t.test('TOML configuration and the command of Claude Code start the MCP server with known settings', async t => {
  const [toml = ''] = blocksOf('toml')
  const values = Object.fromEntries(
    [...toml.matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value = '']) => [name, JSON.parse(value)]),
  )
  t.strictSame(values, {
    command: '/opt/watchkeeper/watchkeeper',
    args: ['mcp'],
    env_vars: ['WATCHKEEPER_MCP_API_KEY', 'WATCHKEEPER_MCP_URL'],
  })
  for (const name of values['env_vars']) t.ok(name in mcpSettings, name)
  t.match(page, /^claude mcp add .* --env WATCHKEEPER_MCP_API_KEY=\$AGENT_KEY -- \/opt\/watchkeeper\/watchkeeper mcp$/m)
})
