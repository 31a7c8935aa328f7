// npm run fuzz -- [--cases N] [--seed N] [--api classic|v3]: sends requests made from the OpenAPI documents to an installation in this
// process. `classic` sends N requests to generations 1 and 2, and `v3` sends N to generation 3; without `--api`, both run. Prints the seed,
// how often each kind of response came, and every finding. Exit code 1: there are findings.
import { parseArgs } from 'node:util'
import { productVersion } from '../../infra/cli/product-version.ts'
import { fakeProberIssuer } from '../support/worlds/fake-prober-issuer.ts'
import { type FuzzReport, fuzz } from './fuzz.ts'
import { startInstallation } from './installation.ts'
import { fuzzV3 } from './v3/fuzz.ts'

const say = (text: string) => void process.stdout.write(`${text}\n`)

const options = { cases: { type: 'string' }, seed: { type: 'string' }, api: { type: 'string' } } as const

const fuzzes = { classic: fuzz, v3: fuzzV3 }

async function main(): Promise<void> {
  const { values, positionals, tokens } = parseArgs({ options, strict: false, tokens: true })
  const [cases, seed] = [Number(values['cases'] ?? 10_000), Number(values['seed'] ?? 1)]
  const apis = (Object.keys(fuzzes) as (keyof typeof fuzzes)[]).filter(name => name === (values['api'] ?? name))
  const isUnknown = tokens.some(token => token.kind === 'option' && !Object.hasOwn(options, token.name))
  if (
    isUnknown ||
    apis.length === 0 ||
    positionals.length > 0 ||
    !Number.isInteger(cases) ||
    cases < 1 ||
    !Number.isInteger(seed)
  ) {
    say('npm run fuzz -- [--cases N] [--seed N] [--api classic|v3]    10,000 cases of each and seed 1 unless they are sent')
    process.exitCode = 2
    return
  }
  for (const api of apis) await run(api, { cases, seed })
}

async function run(api: keyof typeof fuzzes, { cases, seed }: { cases: number; seed: number }): Promise<void> {
  say(`${api}: seed ${seed}, ${cases} cases`)
  const startedAt = performance.now()
  const installation = await startInstallation(productVersion, fakeProberIssuer)
  try {
    const onCase = (number: number) => void (number % 1_000 === 999 && say(`${number + 1} cases`))
    const report = await fuzzes[api](installation, { seed, cases, onCase })
    tell(report)
    say(
      `${report.cases} cases in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s, slowest ${report.slowestMs.toFixed(0)} ms`,
    )
    if (report.findings.length > 0) process.exitCode = 1
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
