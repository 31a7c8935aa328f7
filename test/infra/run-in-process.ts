// Runs commands in this process, because to start a process takes longer than most commands.
import { type Command, CommanderError } from 'commander'
import { createProgram } from '../../infra/cli/program.ts'
import { StartError } from '../../infra/runtime/start-error.ts'

/** Splits a line at its blanks; quoted words may have blanks. */
export const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain ?? '')

const allCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(allCommands)]

/** Runs a command with the environment of this process. Returns its exit code and its output. */
export async function command(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' }
  const say = (where: 'stdout' | 'stderr') => (text: string) => {
    output[where] += text
  }
  const program = await createProgram()
  for (const one of allCommands(program)) one.configureOutput({ writeOut: say('stdout'), writeErr: say('stderr') })
  const { log, error } = console
  console.log = text => say('stdout')(`${text}\n`)
  console.error = text => say('stderr')(`${text}\n`)
  try {
    await program.parseAsync(words(line), { from: 'user' })
    return { code: 0, ...output }
  } catch (refusal) {
    if (refusal instanceof CommanderError) return { code: refusal.exitCode === 0 ? 0 : 2, ...output }
    if (!(refusal instanceof StartError)) throw refusal
    return { code: refusal.exitCode, ...output, stderr: `${output.stderr}${refusal.message}\n` }
  } finally {
    Object.assign(console, { log, error })
  }
}

/** Runs a command that must succeed, and returns its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into the output freely
export async function json(line: string): Promise<any> {
  const { code, stdout, stderr } = await command(`${line} --json`)
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
