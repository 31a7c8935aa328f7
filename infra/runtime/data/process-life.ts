// Life of a process, according to the operating system. A zombie is dead: it has ended, and a parent that never collects it keeps only its
// number.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { bootId } from '#shared/time/boot-id.ts'

/** ending: it was killed, and threads of it still hold what it had open. */
export type Life = 'alive' | 'ending' | 'gone'

interface ProcessStatus {
  /** One letter of the operating system, Z for a zombie. */
  state: string
  /** A text that differs between two processes of one number. */
  beginning: string
}

/** When the process began, as a text that differs between two processes of one number; `gone` if there is none. */
export async function beginningOf(pid: number): Promise<string> {
  return (await statusOf(pid))?.beginning ?? 'gone'
}

/** Whether the process that began then lives. */
export async function lifeOf(pid: number, beginning: string): Promise<Life> {
  const status = await statusOf(pid)
  if (status === null || status.beginning !== beginning) return 'gone'
  if (!hasEnded(status.state)) return 'alive'
  return (await hasLivingThread(pid)) ? 'ending' : 'gone'
}

/** How a living process was started; empty if there is none. */
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

/** The main thread of a killed process may be a zombie before the others have ended. */
async function hasLivingThread(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = await Promise.all(threads.map(async thread => (await fieldsOf(`/proc/${pid}/task/${thread}/stat`))?.[0] ?? 'X'))
  return states.some(state => !hasEnded(state))
}

/** The fields behind the name, which may hold spaces itself: the state is the first, the start time the 20th. */
async function fieldsOf(path: string): Promise<string[] | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text === '' ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** The state of a process and one more column of `ps`; empty if there is none. */
async function listed(pid: number, column: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-o', `${column}=`, '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  const [, state = '', rest = ''] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(stdout) ?? []
  return state === '' ? [] : [state, rest]
}
