// Table of tools in docs/mcp.md, generated from their records. Run as a program, this file writes the table into the page. A test checks
// that the page is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool } from '../../services/mcp/tool.ts'
import { tools } from '../../services/mcp/tools.ts'

const path = join(import.meta.dirname, '..', '..', 'docs', 'mcp.md')
const marks = { begin: '<!-- tools: begin -->', end: '<!-- tools: end -->' }

export function mcpPage(): string {
  const page = readFileSync(path, 'utf8')
  const [before, rest = ''] = page.split(marks.begin)
  const [, after] = rest.split(marks.end)
  if (before === undefined || after === undefined) throw new Error(`docs/mcp.md lacks ${marks.begin} or ${marks.end}`)
  const head = ['| tool | arguments | what it does | key | |', '|---|---|---|---|---|']
  return `${before}${marks.begin}\n${[...head, ...tools.map(row)].join('\n')}\n${marks.end}${after}`
}

function row({ name, arguments: { properties, required = [] }, description, needs, effect }: Tool): string {
  const words = Object.keys(properties).map(argument => `\`${argument}\`${required.includes(argument) ? '' : '?'}`)
  const key = needs === null ? 'any' : needs === 'full' ? 'full' : `\`${needs}\``
  return `| \`${name}\` | ${words.join(', ')} | ${description} | ${key} | ${effect} |`
}

if (process.argv[1] === import.meta.filename) writeFileSync(path, mcpPage())
