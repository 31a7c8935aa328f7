// The program as a child process with an environment of its own. Tests read its output and await its end. At the end of a test, its child
// processes and all their remaining descendants are ended by process id.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'

const root = join(import.meta.dirname, '..', '..')
const main = join(root, 'infra', 'cli', 'main.ts')

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Program {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the match when standard output matches. Rejects if the program ends earlier, or after a minute. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<Ended>
}

interface Teardown {
  teardown(run: () => unknown): void
}

/** Compile cache of this process, shared with the programs that it starts: saves half of the time of a start. */
export const compileCache = (): Record<string, string> => {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

/** Time after the end of a program in which its output may still arrive. */
const outputMs = 2_000

/**
 * Closes the output of a program soon after its end. A process that the program has started, and that outlives it for a while after a kill,
 * would keep the output open, and with it this process.
 */
export function closeWithProgram(child: ChildProcess): void {
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, outputMs).unref()
  })
}

/** Creates a folder that is removed at the end of the test. */
export function temporaryFolder(t: Teardown): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-start-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Starts the program on free ports unless `environment` sets the ports. Standard input is `input`; absent: closed. */
export function runProgram(t: Teardown, args: string[], environment: Record<string, string> = {}, input?: string): Program {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      PORT: '0',
      OPS_PORT: '0',
      ...compileCache(),
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  closeWithProgram(child)
  // Ignores the error of a program that ends without reading its input.
  child.stdin.on('error', () => undefined).end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<Ended>(resolve => child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })))
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why} ${pattern}: ${stdout}${stderr}`))
      const bound = setTimeout(fail, 60_000, 'did not say within a minute')
      const look = () => {
        const found = pattern.exec(stdout)
        if (!found) return
        clearTimeout(bound)
        resolve(found)
      }
      child.stdout.on('data', look)
      void ended.then(() => {
        clearTimeout(bound)
        fail('ended before it said')
      })
      look()
    })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended }
}

/** Polls until the condition is true, for a minute unless told otherwise: a start takes 20 s on a busy machine. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, mostMs = 60_000): Promise<void> {
  const looked = performance.now()
  if (await holds()) return
  for await (const _ of setInterval(25)) {
    if (await holds()) return
    if (performance.now() - looked > mostMs) throw new Error(`it never came true: ${what}`)
  }
}

/** Returns the process id of the nats-server on a data folder. */
export const natsServerPid = (dataFolder: string): number =>
  Number(
    readFileSync(join(dataFolder, 'bus', 'nats-server.pid'), 'utf8')
      .trim()
      .split(' ')[1],
  )

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
