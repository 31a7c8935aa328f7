// The attacker as a process that a test starts. Runs at the lowest priority unless `ATTACK_FULL` is set, because a real attacker uses
// another machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

export interface Attack {
  /** Resolves when the server has accepted the attacker's connection. */
  entered: Promise<void>
  /** Resolves at the end of the attack with the counts of its messages and of the server's errors. */
  ended: Promise<Record<string, number>>
  /** Ends the attack early. */
  stop(): void
}

export interface AttackOptions {
  port: number
  credentialsFile: string
  seconds: number
  /** Names of attacks; absent: all. */
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
  // A test may leave either promise without a handler, so these handlers prevent an unhandled rejection.
  entered.promise.catch(() => undefined)
  ended.catch(entered.reject)
  return { entered: entered.promise, ended, stop: () => void child.kill('SIGTERM') }
}

async function endOf(child: ChildProcess): Promise<void> {
  await once(child, 'close')
}
