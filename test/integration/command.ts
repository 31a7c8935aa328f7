// Runs one command of `./watchkeeper` to its end.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { compileCache } from '../infra/run-program.ts'

const root = join(import.meta.dirname, '../..')

/** Returns the standard output of the command. Throws if the command fails. */
export function commandOf(environment: Record<string, string>, words: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...compileCache(), ...environment }
  const ended = spawnSync(process.execPath, ['infra/cli/main.ts', ...words], { cwd: root, encoding: 'utf8', env })
  if (ended.status !== 0) throw new Error(`${words.join(' ')}: ${ended.stderr}`)
  return ended.stdout.trim()
}
