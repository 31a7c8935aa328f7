// Runs a command on a pseudo-terminal of a given window size, made by Python's `pty`, and reads the resulting screen. Keys are sent as
// bytes.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { compileCache } from '../../infra/run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const main = join(root, 'infra', 'cli', 'main.ts')

const opensTerminal = `
import fcntl, os, pty, select, struct, sys, termios
rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
sources = [terminal, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 100)
        if typed: os.write(terminal, typed)
        else: sources.remove(0)
    if terminal in ready:
        try: chunk = os.read(terminal, 4000)
        except OSError: break
        if not chunk: break
        os.write(1, chunk)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
`

/** Reason why no terminal is available; false: a terminal is available. */
export const noTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0 ? false : 'no python3 to make a terminal'

const escapeCharacter = '\u001b'

export const terminalWindow = { rows: 12, columns: 40 }

export interface AtTerminal {
  /** Complete output of the command, as text. */
  raw(): string
  /** The lines of the screen, without white space at the ends of lines and without empty lines at the end. */
  screen(): string[]
  /** Resolves when the output matches; rejects if the command ends before. */
  shows(pattern: RegExp): Promise<void>
  /** Clears the output that `shows` searches. */
  next(): void
  type(keys: string): void
  ended: Promise<number | null>
}

export function runAtTerminal(
  t: { teardown(run: () => unknown): void },
  args: string[],
  environment: Record<string, string>,
): AtTerminal {
  const words = [String(terminalWindow.rows), String(terminalWindow.columns), process.execPath, main, ...args]
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', ...compileCache(), ...environment }
  const child = spawn('python3', ['-c', opensTerminal, ...words], { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] })
  let written = ''
  let from = 0
  child.stdout.setEncoding('utf8').on('data', chunk => {
    written += chunk
  })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  t.teardown(async () => {
    child.stdin.end()
    child.kill()
    await ended
  })
  const shows = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (pattern.test(written.slice(from))) resolve()
      }
      child.stdout.on('data', look)
      void ended.then(() => reject(new Error(`it ended before it showed ${pattern}: ${JSON.stringify(written.slice(from))}`)))
      look()
    })
  return {
    raw: () => written,
    screen: () => screenOf(written, terminalWindow.columns),
    shows,
    next: () => {
      from = written.length
    },
    type: keys => void child.stdin.write(keys),
    ended,
  }
}

/** Returns the lines of the screen. Handles the escape sequences that the commands write, and throws for any other sequence. */
function screenOf(written: string, columns: number): string[] {
  let lines: string[][] = [[]]
  let row = 0
  let column = 0
  const sequence = new RegExp(`${escapeCharacter}\\[(H|2J|3J|K|\\d*m)|([\\s\\S])`, 'gu')
  const moveDown = () => {
    row += 1
    lines[row] ??= []
  }
  for (const [, own, character = ''] of written.matchAll(sequence)) {
    if (own === 'H') [row, column] = [0, 0]
    else if (own === '2J') lines = [[]]
    else if (own === 'K') lines[row]?.splice(column)
    else if (own !== undefined) continue
    else if (character === '\r') column = 0
    else if (character === '\n') moveDown()
    else if (/\p{Cc}|\p{Cf}/u.test(character)) throw new Error(`a control character was written: ${JSON.stringify(character)}`)
    else {
      if (column === columns) {
        moveDown()
        column = 0
      }
      const line = lines[row] as string[]
      while (line.length < column) line.push(' ')
      line[column] = character
      column += 1
    }
  }
  const texts = lines.map(line => line.join('').trimEnd())
  while (texts.at(-1) === '') texts.pop()
  return texts
}
