// CPU and memory of processes, read from /proc. Also starts the child processes of a run, and ends them at the end of the run, even by
// Ctrl-C.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc: a constant of Linux's user interface. */
const ticksPerSecond = 100

export interface Usage {
  /** User and system time of all threads, ms, in steps of 10 ms. */
  cpuMs: number
  residentBytes: number
  /** Peak resident memory. */
  peakBytes: number
}

/** Usage of a tree of processes, summed by process name. Shared pages count once for each process. */
export interface TreeUsage extends Usage {
  byName: Record<string, Usage>
}

const nothing = (): Usage => ({ cpuMs: 0, residentBytes: 0, peakBytes: 0 })

/** Returns CPU and memory of a process and all its descendants, without those that have ended in the meantime. */
export function usageOfTree(root: number): TreeUsage {
  const all: TreeUsage = { ...nothing(), byName: {} }
  for (const pid of treeOf(root)) {
    const found = usageOf(pid)
    if (found === null) continue
    const sameName = all.byName[found.name] ?? nothing()
    all.byName[found.name] = sameName
    for (const sum of [all, sameName]) add(sum, found)
  }
  return all
}

/** Returns the summed usage of several trees of processes. */
export function addUp(trees: readonly TreeUsage[]): TreeUsage {
  const all: TreeUsage = { ...nothing(), byName: {} }
  for (const { byName, ...tree } of trees) {
    add(all, tree)
    for (const [name, used] of Object.entries(byName)) {
      all.byName[name] ??= nothing()
      add(all.byName[name], used)
    }
  }
  return all
}

function add(sum: Usage, used: Usage): void {
  sum.cpuMs += used.cpuMs
  sum.residentBytes += used.residentBytes
  sum.peakBytes += used.peakBytes
}

/** Returns a process and its descendants, itself first. */
export function treeOf(root: number): number[] {
  const childrenOf = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const parent = Number.isInteger(pid) ? fieldsOf(pid)?.fields[1] : undefined
    if (parent !== undefined) childrenOf.set(Number(parent), [...(childrenOf.get(Number(parent)) ?? []), pid])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(childrenOf.get(pid) ?? []))
  return tree
}

/** False for a process that has ended, even if its parent has not reaped it. */
export const isAlive = (pid: number): boolean => (fieldsOf(pid)?.fields[0] ?? 'Z') !== 'Z'

function usageOf(pid: number): (Usage & { name: string }) | null {
  const stat = fieldsOf(pid)
  const status = read(`/proc/${pid}/status`)
  if (stat === null || status === null) return null
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  const cpuMs = ((Number(stat.fields[11]) + Number(stat.fields[12])) * 1_000) / ticksPerSecond
  return { name: stat.name, cpuMs, residentBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') }
}

/** Returns the fields of /proc/<pid>/stat after the name: state, parent, …. The name can contain spaces and brackets. */
function fieldsOf(pid: number): { name: string; fields: string[] } | null {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === null) return null
  const end = stat.lastIndexOf(')')
  return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const children = new Set<ChildProcess>()

/** Starts a child process that does not outlive this run. */
export function startChild(argv: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, argv, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Sends the signal to a running child; resolves when the child has ended. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  child.kill(signal)
  await gone
}

/** Kills all children at once. An embedded bus server ends by itself after its parent. */
export function endAllChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}
