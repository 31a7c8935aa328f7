// The attacker as a process that a test starts. Runs at the lowest priority unless `ATTACK_FULL` is set: a real one has a machine of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

export interface Attack {
  /** Resolves when the server has let it in. */
  entered: Promise<void>
  /** Resolves with its counts of messages and of the server's errors. */
  ended: Promise<Record<string, number>>
  /** Ends it before its time. */
  stop(): void
}

export interface AttackOptions {
  port: number
  credentialsFile: string
  seconds: number
  /** None: all of them. */
  attacks?: string[]
}

export function startAttack({ port, credentialsFile, seconds, attacks = [] }: AttackOptions): Attack {
  const program = join(import.meta.dirname, 'attacker.ts')
  const child = spawn(process.execPath, [program, '127.0.0.1', `${port}`, credentialsFile, `${seconds}`, ...attacks], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (process.env['ATTACK_FULL'] === undefined && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const entered = Promise.withResolvers<void>()
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
    if (output.startsWith('in\n')) entered.resolve()
  })
  const ended = endOf(child).then(() => JSON.parse(output.trim().split('\n').at(-1) ?? ''))
  // Each is awaited by some tests alone.
  entered.promise.catch(() => undefined)
  ended.catch(entered.reject)
  return { entered: entered.promise, ended, stop: () => void child.kill('SIGTERM') }
}

async function endOf(child: ChildProcess): Promise<void> {
  await once(child, 'close')
}
