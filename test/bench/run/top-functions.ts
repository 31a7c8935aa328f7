// List of the most expensive functions in CPU profiles that `node --cpu-prof` wrote. Each thread has a profile in a file of its own. The
// size of the file shows which thread it is.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

const shownFunctions = 45
const shownFiles = 25

/** Prints for each profile in the folder the busy time by function (alone and with its callees) and by file. */
export function printTopFunctions(folder: string, print: (line: string) => void): void {
  for (const file of readdirSync(folder).filter(name => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    print(`\n${file}`)
    printProfile(profile, print)
  }
}

function printProfile({ nodes, samples, timeDeltas }: Profile, print: (line: string) => void): void {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const selfOfNode = new Map<number, number>()
  for (const [index, id] of samples.entries()) selfOfNode.set(id, (selfOfNode.get(id) ?? 0) + (timeDeltas[index] ?? 0))
  const self = new Map<string, number>()
  const inclusive = new Map<string, number>()
  const files = new Map<string, number>()
  let busy = 0
  const walk = (id: number, above: Set<string>): number => {
    const node = byId.get(id) as Profile['nodes'][number]
    const name = nameOf(node.callFrame)
    const isFirst = !above.has(name)
    if (isFirst) above.add(name)
    const own = selfOfNode.get(id) ?? 0
    const whole = own + (node.children ?? []).reduce((sum, child) => sum + walk(child, above), 0)
    if (isFirst) {
      above.delete(name)
      inclusive.set(name, (inclusive.get(name) ?? 0) + whole)
    }
    if (name === '(idle)') return 0
    busy += own
    self.set(name, (self.get(name) ?? 0) + own)
    files.set(fileOf(node.callFrame), (files.get(fileOf(node.callFrame)) ?? 0) + own)
    return whole
  }
  const [root] = nodes
  if (root) walk(root.id, new Set())
  const share = (time: number) => `${((time * 100) / busy).toFixed(1).padStart(5)} %`
  print(`busy ${(busy / 1e6).toFixed(1)} s\n  self   with callees  function`)
  for (const [name, time] of largest(self, shownFunctions)) print(`${share(time)}  ${share(inclusive.get(name) ?? 0)}  ${name}`)
  const own = new Map([...inclusive].filter(([name]) => / (services|shared|machines|infra)\//.test(name)))
  print('  with callees  own function')
  for (const [name, time] of largest(own, shownFunctions)) print(`${share(time)}  ${name}`)
  print('  self   file')
  for (const [name, time] of largest(files, shownFiles)) print(`${share(time)}  ${name}`)
}

const largest = (times: Map<string, number>, count: number) => [...times].sort((a, b) => b[1] - a[1]).slice(0, count)

const nameOf = (frame: Profile['nodes'][number]['callFrame']) =>
  frame.url === '' ? frame.functionName : `${frame.functionName || '(anonymous)'} ${fileOf(frame)}:${frame.lineNumber + 1}`

const fileOf = ({ url, functionName }: Profile['nodes'][number]['callFrame']) =>
  url === '' ? functionName : url.replace(/^file:\/\//, '').replace(/^.*\/(node_modules|services|shared|machines|infra)\//, '$1/')
