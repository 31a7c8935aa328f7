// Commands in documents, held against what there is: scripts of package.json, and commands of the one executable as its sources declare
// them. Only code counts: fenced blocks and back-ticks.
import { existsSync, readFileSync } from 'node:fs'

/** The cited commands that do not exist. */
export function missingCommands(text: string): string[] {
  const code = codeOf(text)
  const scripts = [...code.matchAll(/\bnpm run ([\w:-]+)/g)].filter(([, name = '']) => !(name in npmScripts()))
  const commands = [...code.matchAll(/\bwatchkeeper(?: --)? ([a-z][\w-]*)(?: ([a-z][\w-]*))?/g)]
  const missing = commands.filter(([, name = '', part = '']) => !isCommand(name, part))
  return [...scripts, ...missing].map(([cited]) => cited)
}

/** Words on lines of their own do not run into each other. */
const codeOf = (text: string): string =>
  [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, quoted]) => block ?? quoted).join('\n;\n')

const npmScripts = (): Record<string, string> =>
  (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts

/** A command of a group is in the group's file; where a file declares one command alone, what follows is an argument. */
function isCommand(name: string, part: string): boolean {
  const declares = (source: string, word: string) => new RegExp(`command\\(\\s*'${word}'`).test(source)
  if (name === 'help' || declares(readFileSync('infra/cli/main.ts', 'utf8'), name)) return true
  const path = `infra/cli/${name}.ts`
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (!declares(source, name)) return false
  const isGroup = (source.match(/\.command\(/g) ?? []).length > 1
  return part === '' || !isGroup || source.includes(`'${part}'`)
}
