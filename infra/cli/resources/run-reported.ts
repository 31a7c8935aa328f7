// Runs a command as a child process with the standard streams of this process. The end of the command becomes an Observation.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { oneLine } from '../terminal/printing.ts'

export interface ReportedEnd {
  /** Exit code as in a shell: 128 plus the number of the signal that ended the command; 127: no such command. */
  exitCode: number
  state: 'ok' | 'problem'
  seconds: number
  /** Reason of the failure; null: the command succeeded. */
  reason: string | null
}

const stdinFd = 0
const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Runs a command. If `withOutput` is true, the command's output goes through a pipe, and its last line becomes part of the reason. */
export async function runReported([program = '', ...args]: readonly string[], withOutput: boolean): Promise<ReportedEnd> {
  const began = performance.now()
  const output = withOutput ? 'pipe' : 'inherit'
  const child = spawn(program, args, { stdio: ['inherit', output, output] })
  const lastLine = withOutput ? passOn(child) : () => ''
  const stopForwarding = forwardSignals(child)
  const end = await endOf(child).finally(stopForwarding)
  const seconds = Math.round(performance.now() - began) / 1_000
  if ('missing' in end) {
    const exitCode = end.missing === 'ENOENT' ? 127 : 126
    const why = exitCode === 127 ? 'command not found' : `it can't be run (${end.missing})`
    console.error(`${oneLine(program)}: ${why}`)
    return { exitCode, state: 'problem', seconds, reason: `exit ${exitCode}: ${oneLine(program)}: ${why}` }
  }
  const { code, signal } = end
  if (signal !== null) {
    return { exitCode: 128 + constants.signals[signal], state: 'problem', seconds, reason: `ended by ${signal}` }
  }
  const line = lastLine()
  const reason = `exit ${code}${line === '' ? '' : `: ${line}`}`
  return { exitCode: code ?? 1, state: code === 0 ? 'ok' : 'problem', seconds, reason: code === 0 ? null : reason }
}

type End = { code: number | null; signal: NodeJS.Signals | null } | { missing: string }

async function endOf(child: ChildProcess): Promise<End> {
  try {
    const closed = once(child, 'close')
    // Ignores this error. The wait for `exit` rejects with the same error, which is handled there.
    closed.catch(() => undefined)
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    const late = new AbortController()
    await Promise.race([closed, pause(clientLimits.lastOutputMs, undefined, { signal: late.signal }).catch(() => undefined)])
    late.abort()
    // Closes the output, because a process that the command left behind may keep it open.
    child.stdout?.destroy()
    child.stderr?.destroy()
    return { code, signal }
  } catch (error) {
    return { missing: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  }
}

/**
 * Forwards signals to the command. Ctrl-C at a terminal reaches the command directly; the listeners then only keep this process alive until
 * the report is sent.
 */
function forwardSignals(child: ChildProcess): () => void {
  const listeners = forwarded.map(signal => {
    const forward = () => {
      if (signal !== 'SIGINT' || !isatty(stdinFd)) child.kill(signal)
    }
    process.on(signal, forward)
    return () => process.off(signal, forward)
  })
  return () => {
    for (const remove of listeners) remove()
  }
}

/**
 * Copies the command's output to the output of this process. Returns a function that returns the last line of the output that is not blank.
 */
function passOn({ stdout, stderr }: ChildProcess): () => string {
  let last = ''
  for (const [from, to] of [
    [stdout, process.stdout],
    [stderr, process.stderr],
  ] as const) {
    const decoder = new StringDecoder('utf8')
    let line = ''
    from?.on('data', (chunk: Buffer) => {
      const lines = `${line}${decoder.write(chunk)}`.split(/[\r\n]+/)
      line = (lines.at(-1) ?? '').slice(0, clientLimits.lineCharacters)
      last = lines.findLast(text => oneLine(text).trim() !== '') ?? last
    })
    from?.pipe(to, { end: false })
    // If this process's output is closed, closes the command's pipe too. The command then gets the error that it would get without this
    // process.
    to.on('error', () => from?.destroy())
  }
  return () => oneLine(last.slice(0, clientLimits.lineCharacters)).trim()
}
