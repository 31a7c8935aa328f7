// npm run sim -- --seed N: one seed with a trace of what happened. --seeds A-B: many, with progress. Exit code 1 where one fails.
import { simulate } from './simulate.ts'

const say = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const [option, value = ''] = process.argv.slice(2)
  const [from, to = from] = value.split('-').map(Number)
  if (!['--seed', '--seeds'].includes(option ?? '') || !Number.isInteger(from) || !Number.isInteger(to)) {
    say('npm run sim -- --seed N   or   npm run sim -- --seeds A-B')
    process.exitCode = 2
    return
  }
  const isOne = option === '--seed'
  const startedAt = performance.now()
  let failed = 0
  for (let seed = from as number; seed <= (to as number); seed++) {
    const { plan, problems, trace, counts } = await simulate(seed, isOne)
    for (const line of trace) say(line)
    if (isOne) say(`seed ${seed}: ${plan.profile}, ${plan.keepers} keepers, ${plan.sites.length} sites, ${counts.reports} reports, ends ${plan.ending}`)
    if (problems.length > 0) {
      failed += 1
      say(`seed ${seed} (${plan.profile}) failed:`)
      for (const problem of problems.slice(0, isOne ? 50 : 3)) say(`  ${problem}`)
    }
    if (process.stdout.isTTY && !isOne) process.stdout.write(`\r${seed - (from as number) + 1} of ${(to as number) - (from as number) + 1}, ${failed} failed `)
  }
  const perSeed = (performance.now() - startedAt) / ((to as number) - (from as number) + 1)
  say(`${failed} failed, ${perSeed.toFixed(0)} ms a seed`)
  process.exitCode = failed > 0 ? 1 : 0
}

await main()
