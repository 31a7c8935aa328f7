// Duration of the command line's read commands, from the start of the process to its end. Runs of the commands alternate with runs of
// `node` alone, for comparison.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const reads = ['status', 'resource list', 'incident list', 'template list', 'destination list', 'audit']
const nodeAlone = 'node alone'
/** Permitted time beyond that of `node` alone, s. */
const budget = 0.4

export async function cli(run: Run): Promise<PartResult> {
  const rounds = run.options.quick ? 3 : 15
  run.say(`cli: ${reads.length} read commands, ${rounds} rounds`)
  const found = await run.withSystem(system => measure(system, rounds))
  const bare = median(found.get(nodeAlone) ?? [])
  const beyond = (name: string) => median(found.get(name) ?? []) - bare
  return {
    quantities: reads.map(name => quantity('cli', `${name}, beyond node alone`, 's', beyond(name), { better: 'lower', budget })),
    details: [{ title: 'Seconds of a command', rows: [...found].map(([name, seconds]) => rowOf(name, seconds)) }],
  }
}

async function measure(system: System, rounds: number): Promise<Map<string, number[]>> {
  await system.start()
  const environment = { ...process.env, DATA_DIR: system.dataFolder }
  const found = new Map<string, number[]>()
  // The first round makes the key of this machine and fills the compile cache.
  for (let round = 0; round <= rounds; round++) {
    for (const name of [nodeAlone, ...reads]) {
      const seconds = name === nodeAlone ? timed(process.execPath, ['-e', '0'], environment) : command(name, environment)
      if (round > 0) found.set(name, [...(found.get(name) ?? []), seconds])
    }
  }
  return found
}

const command = (name: string, environment: NodeJS.ProcessEnv): number =>
  timed(join(root, 'watchkeeper'), name.split(' '), environment)

function timed(program: string, words: string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now()
  const { status, stderr } = spawnSync(program, words, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stderr}`)
  return (performance.now() - began) / 1_000
}

const rowOf = (name: string, seconds: readonly number[]) => ({
  command: name,
  median: median(seconds).toFixed(3),
  fastest: Math.min(...seconds).toFixed(3),
  slowest: Math.max(...seconds).toFixed(3),
})
