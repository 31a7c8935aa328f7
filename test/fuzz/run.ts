// npm run fuzz -- [--cases N] [--seed N]: requests from the OpenAPI documents against an installation in this process. Prints the
// seed, what was answered how often, and every finding; exit code 1 where there is one.
import { parseArgs } from 'node:util'
import { productVersion } from '../../infra/cli/product-version.ts'
import { type FuzzReport, fuzz } from './fuzz.ts'
import { startInstallation } from './installation.ts'

const say = (text: string) => void process.stdout.write(`${text}\n`)

const options = { cases: { type: 'string' }, seed: { type: 'string' } } as const

async function main(): Promise<void> {
  const { values, positionals, tokens } = parseArgs({ options, strict: false, tokens: true })
  const [cases, seed] = [Number(values['cases'] ?? 10_000), Number(values['seed'] ?? 1)]
  const isUnknown = tokens.some(token => token.kind === 'option' && !Object.hasOwn(options, token.name))
  if (isUnknown || positionals.length > 0 || !Number.isInteger(cases) || cases < 1 || !Number.isInteger(seed)) {
    say('npm run fuzz -- [--cases N] [--seed N]    whole numbers; 10,000 cases and seed 1 where they are left out')
    process.exitCode = 2
    return
  }
  say(`seed ${seed}, ${cases} cases`)
  const startedAt = performance.now()
  const installation = await startInstallation(productVersion)
  try {
    const onCase = (number: number) => void (number % 1_000 === 999 && say(`${number + 1} cases`))
    const report = await fuzz(installation, { seed, cases, onCase })
    tell(report)
    say(
      `${report.cases} cases in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s, slowest ${report.slowestMs.toFixed(0)} ms`,
    )
    process.exitCode = report.findings.length > 0 ? 1 : 0
  } finally {
    await installation.stop()
  }
}

function tell({ successes, refusals, findings, unanswered }: FuzzReport): void {
  if (unanswered.length > 0) say(`never answered with a result: ${unanswered.join(', ')}`)
  for (const [title, counts] of [['results', successes] as const, ['refusals', refusals] as const]) {
    say(`${title}:`)
    for (const [name, times] of [...counts].toSorted(([, a], [, b]) => b - a)) say(`${String(times).padStart(7)}  ${name}`)
  }
  for (const { number, request, answer, offences } of findings) {
    say(`case ${number}: ${offences.join('; ')}`)
    say(`  ${request.method} ${request.path.slice(0, 300)} ${request.broken.join(', ')}`)
    if (request.body !== null) say(`  ${String(request.body).slice(0, 300)}`)
    say(`  ${answer}`)
  }
  say(`${findings.length} findings`)
}

await main()
