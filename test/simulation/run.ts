// `npm run sim -- --seed N`: runs one seed with a trace of its events. `--seeds A-B`: many seeds, with progress. `--for-s S`: stops after S
// seconds. `--custom`, `--resources`: seeds of the custom subjects' and of the Resources' simulation. The last line says how many seeds
// were run, and how many of them failed. Exit code 1: a seed failed.
import { parseArgs } from 'node:util'
import { simulateCustom } from './custom/simulate-custom.ts'
import { simulateResources } from './resources/simulate-resources.ts'
import { simulate } from './simulate.ts'

const usage = `npm run sim -- [--custom | --resources] --seed N                  one seed, with a trace
npm run sim -- [--custom | --resources] --seeds A-B [--for-s S]   many, for at most S seconds
--custom: a week of a generated custom subject; --resources: half a day of generated Resources of Templates; without them, a monitor's life under all kinds of weather`

/** Result of one seed: the problems that were found, and texts that describe the run. */
interface Run {
  problems: string[]
  trace: string[]
  profile: string
  summary: string
}

const say = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      'for-s': { type: 'string' },
      custom: { type: 'boolean', default: false },
      resources: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [from, to = from] = (values.seed ?? values.seeds ?? '').split('-').map(Number) as [number, number?]
  const isGiven = values.seed !== undefined || values.seeds !== undefined
  if (values.help || !isGiven || !Number.isInteger(from) || !Number.isInteger(to)) {
    say(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const live = values.resources ? liveResources : values.custom ? liveCustom : liveMonitor
  const option = values.resources ? '--resources ' : values.custom ? '--custom ' : ''
  const failed =
    values.seed === undefined
      ? await runMany(live, option, from, to as number, Number(values['for-s'] ?? 86_400))
      : await runOne(live, from)
  process.exitCode = failed > 0 ? 1 : 0
}

async function liveMonitor(seed: number, isTraced: boolean): Promise<Run> {
  const { plan, problems, trace, counts } = await simulate(seed, isTraced)
  const size = `${plan.keepers} keepers, ${plan.sites.length} sites, ${counts.reports} reports, ${counts.commands} commands`
  return { problems, trace, profile: plan.profile, summary: `${plan.profile}, ${size}, ${plan.ending} in the end` }
}

const liveCustom = async (seed: number): Promise<Run> => counted(await simulateCustom(seed), 'custom')

const liveResources = async (seed: number): Promise<Run> => counted(await simulateResources(seed), 'resources')

function counted({ faults, trace, counts }: { faults: string[]; trace: string[]; counts: object }, profile: string): Run {
  const summary = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return { problems: faults, trace, profile, summary: summary.join(', ') }
}

async function runOne(live: typeof liveMonitor, seed: number): Promise<number> {
  const { problems, trace, summary } = await live(seed, true)
  for (const line of trace) say(line)
  say(`seed ${seed}: ${summary}`)
  for (const problem of problems) say(`  ${problem}`)
  return problems.length > 0 ? 1 : 0
}

async function runMany(live: typeof liveMonitor, option: string, from: number, to: number, forSeconds: number): Promise<number> {
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt > forSeconds * 1_000
  let failed = 0
  let seed = from
  for (; seed <= to && !isLate(); seed++) {
    const { problems, profile } = await live(seed, false)
    if (problems.length > 0) {
      failed += 1
      say(`seed ${seed} (${profile}) failed; npm run sim -- ${option}--seed ${seed}`)
      for (const problem of problems.slice(0, 3)) say(`  ${problem}`)
    }
    if (process.stdout.isTTY) process.stdout.write(`\r${seed - from + 1} of ${to - from + 1}, ${failed} failed `)
  }
  const count = seed - from
  say(`${count} seeds run, ${failed} failed, ${((performance.now() - startedAt) / Math.max(1, count)).toFixed(0)} ms a seed`)
  return failed
}

await main()
