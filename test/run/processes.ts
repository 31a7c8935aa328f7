// The living processes of this machine, as Linux lists them; elsewhere none are known.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Processor times are in milliseconds: of the process itself, and of its ended children. */
export interface Process {
  id: number
  parent: number
  own: number
  ofEnded: number
}

export function readProcesses(): Process[] {
  const ids = existsSync('/proc/self/stat') ? readdirSync('/proc').filter(name => /^\d+$/.test(name)) : []
  return ids.flatMap(id => {
    try {
      // The line of proc(5) from its third field on; times are in hundredths of a second.
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      // It has ended, and its parent has not asked how.
      if (fields[0] === 'Z') return []
      const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(index =>
        Number(fields[index]),
      )
      return [{ id: Number(id), parent, own: (user + system) * 10, ofEnded: (endedUser + endedSystem) * 10 }]
    } catch {
      return [] // The process has ended meanwhile.
    }
  })
}

/** Children of a process, their children, and so on. */
export function descendantsOf(id: number, processes: readonly Process[] = readProcesses()): Process[] {
  const children = processes.filter(({ parent }) => parent === id)
  return children.flatMap(child => [child, ...descendantsOf(child.id, processes)])
}

/** Kills a process, or with a negative id a group of processes. Does nothing if it has ended. */
export function killNow(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    // ESRCH: it has ended. EPERM: macOS says so of a group whose processes have all ended.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
