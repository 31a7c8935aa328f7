// State of a process, according to the operating system. A zombie counts as ended, because only its id remains until its parent process
// reads its exit code.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { bootId } from '#shared/time/boot-id.ts'

/** `ending`: the process was killed, but its threads still keep its files open. */
export type Life = 'alive' | 'ending' | 'gone'

interface ProcessStatus {
  /** State of the process, as one letter of the operating system. `Z` is a zombie. */
  state: string
  /** Start time of the process as a text. If a later process gets the same id, its text is different. */
  beginning: string
}

/** Returns the start time of a process as a text; `gone`: no such process. A later process with the same id has a different text. */
export async function beginningOf(pid: number): Promise<string> {
  return (await statusOf(pid))?.beginning ?? 'gone'
}

/** Returns the state of the process with this id and this start. */
export async function lifeOf(pid: number, beginning: string): Promise<Life> {
  const status = await statusOf(pid)
  if (status === null || status.beginning !== beginning) return 'gone'
  if (!hasEnded(status.state)) return 'alive'
  return (await hasLivingThread(pid)) ? 'ending' : 'gone'
}

/** Returns the command line of a running process; empty: there is none. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [state = '', args = ''] = await listed(pid, 'args')
  return hasEnded(state) ? '' : args
}

const hasEnded = (state: string): boolean => /^[ZXx]/.test(state)

async function statusOf(pid: number): Promise<ProcessStatus | null> {
  if (process.platform !== 'linux') {
    const [state = '', beginning = ''] = await listed(pid, 'lstart')
    return state === '' ? null : { state, beginning }
  }
  const fields = await fieldsOf(`/proc/${pid}/stat`)
  if (fields === null) return null
  return { state: fields[0] ?? '', beginning: `${bootId()} ${fields[19]}` }
}

/** Returns true if a thread still runs: the main thread of a killed process may be a zombie before its other threads have ended. */
async function hasLivingThread(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = await Promise.all(threads.map(async thread => (await fieldsOf(`/proc/${pid}/task/${thread}/stat`))?.[0] ?? 'X'))
  return states.some(state => !hasEnded(state))
}

/**
 * Returns the fields after the process's name, because the name may contain spaces. The first returned field is the state, the 20th is the
 * start time.
 */
async function fieldsOf(path: string): Promise<string[] | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text === '' ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Returns the state of a process and one more column of `ps`; empty: there is no process. */
async function listed(pid: number, column: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-o', `${column}=`, '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  const [, state = '', rest = ''] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(stdout) ?? []
  return state === '' ? [] : [state, rest]
}
