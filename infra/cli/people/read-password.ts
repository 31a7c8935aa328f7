// Reader of secrets. At a terminal, a person types the secret without echo. Otherwise the secret is the first line of standard input. A
// secret is never printed. A secret is never an argument either, because every user of the machine could read it.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { limits } from '#shared/limits/limits.ts'
import { StartError, usageError } from '../../runtime/start-error.ts'

export const readPassword = (): Promise<string> => (process.stdin.isTTY ? typedTwice() : firstLine('password'))

/** Reads a secret of another system. At a terminal, a person types this secret once; a new password is typed twice. */
export const readSecret = (what: string): Promise<string> =>
  process.stdin.isTTY ? typed(ask => ask(`The ${what}: `)) : firstLine(what)

/** Reads the first line of standard input. `what`: name of the value in errors. Throws a StartError if the line is empty. */
export async function firstLine(what: string): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n')) break
    if (text.length > 4 * limits.password.charactersMax) throw usageError(`Standard input is no ${what}.`)
  }
  const [line = ''] = text.split(/\r?\n/)
  if (line !== '') return line
  throw usageError(`No ${what} came: type it on a terminal, or give it as the first line of standard input.`)
}

const typedTwice = (): Promise<string> =>
  typed(async ask => {
    const password = await ask('New password: ')
    if ((await ask('Once more: ')) === password) return password
    throw usageError('The two passwords differ; nothing was changed.')
  })

/** Runs a dialogue at the terminal. Typed lines can be edited, but are never shown. */
async function typed(run: (ask: (prompt: string) => Promise<string>) => Promise<string>): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const ended = new Promise<never>((_, reject) => {
    terminal.once('SIGINT', () => reject(new StartError('Interrupted; nothing was changed.')))
    terminal.once('close', () => reject(usageError('Nothing was typed; nothing was changed.')))
  })
  ended.catch(() => undefined)
  const ask = async (prompt: string): Promise<string> => {
    process.stderr.write(prompt)
    const answer = await Promise.race([terminal.question(''), ended])
    process.stderr.write('\n')
    return answer
  }
  try {
    return await run(ask)
  } finally {
    terminal.close()
  }
}
