// Duration of `./watchkeeper apply` as a person types it. The first run creates the Resources of a folder in an empty workspace; the second
// run applies the same folder and changes nothing.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyProblem, resourceManifest, signalKeys } from '../fleets/resource-fleet.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'

const root = join(import.meta.dirname, '..', '..', '..')
/** s */
const budgets = { made: 20, unchanged: 3 }

export async function apply(run: Run): Promise<PartResult> {
  const resources = run.options.quick ? 100 : 1_000
  const folder = makeTemporaryFolder()
  try {
    writeFiles(folder, resources)
    return await run.withSystem(async system => {
      await system.start()
      const rounds = []
      for (let round = 1; round <= (run.options.quick ? 1 : 3); round++) {
        run.say(`apply: round ${round} of ${resources} Resources`)
        rounds.push(await measure(system, folder, round, resources))
      }
      return resultOf(rounds, resources)
    })
  } finally {
    removeTemporaryFolder(folder)
  }
}

interface Round {
  madeMs: number
  unchangedMs: number
}

function resultOf(rounds: readonly Round[], resources: number): PartResult {
  const name = `${resources.toLocaleString('en')} Resources by ./watchkeeper apply`
  const lower = { better: 'lower' } as const
  const made = Math.max(...rounds.map(({ madeMs }) => madeMs))
  const unchanged = median(rounds.map(({ unchangedMs }) => unchangedMs))
  return {
    quantities: [
      quantity('apply', `${name}, made, slowest`, 's', made / 1_000, { ...lower, budget: budgets.made }),
      quantity('apply', `${name}, unchanged, median`, 's', unchanged / 1_000, { ...lower, budget: budgets.unchanged }),
    ],
    details: [
      {
        title: 'Applications',
        rows: rounds.map(({ madeMs, unchangedMs }) => ({
          'made ms': Math.round(madeMs),
          'unchanged ms': Math.round(unchangedMs),
        })),
      },
    ],
  }
}

/** Writes YAML files as a person would, with a hundred Resources in each file. */
function writeFiles(folder: string, resources: number): void {
  const place = join(folder, 'fleet')
  mkdirSync(place)
  const signals = signalKeys(2)
  const manifest = resourceManifest({ key: 'host', version: 1, signals, rules: [anyProblem(signals)] })
  writeFileSync(join(place, 'template.json'), JSON.stringify({ kind: 'Template', ...manifest }))
  const documents = Array.from({ length: resources }, (_, i) => {
    return `kind: Resource\nkey: host-${i}\nname: Host ${i}\ntemplate: host\nlabels:\n  env: production\n  rack: r${i % 40}\n`
  })
  for (let i = 0; i < resources; i += 100) {
    writeFileSync(join(place, `hosts-${i}.yaml`), documents.slice(i, i + 100).join('---\n'))
  }
}

async function measure(system: System, folder: string, round: number, resources: number): Promise<Round> {
  const key = await system.key()
  const headers = { authorization: `Bearer ${key}` }
  const body = JSON.stringify({ name: `Fleet ${round}` })
  const response = await fetch(`${system.url}/api/v3/workspaces`, { method: 'POST', headers, body })
  const { result } = (await response.json()) as { result: { id: string } }
  const env = { ...process.env, HOME: folder, WATCHKEEPER_URL: system.url, WATCHKEEPER_API_KEY: key }
  const timed = (verb: 'made' | 'left') => {
    const startedAt = performance.now()
    const words = [
      join(root, 'infra', 'cli', 'watchkeeper.js'),
      'apply',
      join(folder, 'fleet'),
      '--workspace',
      result.id,
      '--json',
    ]
    const text = execFileSync(process.execPath, words, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    const ms = performance.now() - startedAt
    const { counts } = JSON.parse(text) as { counts: Record<string, number> }
    if (counts[verb] !== resources + 1) throw new Error(`${counts[verb]} of ${resources + 1} objects are ${verb}.`)
    return ms
  }
  return { madeMs: timed('made'), unchangedMs: timed('left') }
}
