// npm run sim -- --seed N: one seed with a trace of what happened. --seeds A-B: many, with progress; --for-s S: no longer than that.
// The last line says how many were run and how many failed; exit code 1 where one failed.
import { parseArgs } from 'node:util'
import { simulate } from './simulate.ts'

const usage = `npm run sim -- --seed N             one seed, with a trace
npm run sim -- --seeds A-B [--for-s S]   many, for at most S seconds`

const say = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, seeds: { type: 'string' }, 'for-s': { type: 'string' } } })
  const [from, to = from] = (values.seed ?? values.seeds ?? '').split('-').map(Number) as [number, number?]
  if (!Number.isInteger(from) || !Number.isInteger(to)) {
    say(usage)
    process.exitCode = 2
    return
  }
  const failed =
    values.seed === undefined ? await runMany(from, to as number, Number(values['for-s'] ?? 86_400)) : await runOne(from)
  process.exitCode = failed > 0 ? 1 : 0
}

async function runOne(seed: number): Promise<number> {
  const { plan, problems, trace, counts } = await simulate(seed, true)
  for (const line of trace) say(line)
  const size = `${plan.keepers} keepers, ${plan.sites.length} sites, ${counts.reports} reports, ${counts.commands} commands`
  say(`seed ${seed}: ${plan.profile}, ${size}, ${plan.ending} in the end`)
  for (const problem of problems) say(`  ${problem}`)
  return problems.length > 0 ? 1 : 0
}

async function runMany(from: number, to: number, forSeconds: number): Promise<number> {
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt > forSeconds * 1_000
  let failed = 0
  let seed = from
  for (; seed <= to && !isLate(); seed++) {
    const { plan, problems } = await simulate(seed)
    if (problems.length > 0) {
      failed += 1
      say(`seed ${seed} (${plan.profile}) failed; npm run sim -- --seed ${seed}`)
      for (const problem of problems.slice(0, 3)) say(`  ${problem}`)
    }
    if (process.stdout.isTTY) process.stdout.write(`\r${seed - from + 1} of ${to - from + 1}, ${failed} failed `)
  }
  const count = seed - from
  say(`${count} seeds run, ${failed} failed, ${((performance.now() - startedAt) / Math.max(1, count)).toFixed(0)} ms a seed`)
  return failed
}

await main()
