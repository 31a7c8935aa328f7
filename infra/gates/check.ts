// `npm run check`: all checks that need no running system: types, style, arrows, dead code, house rules. Runs the gates concurrently and
// prints each result. If a gate failed, names the failed gates and exits with 1.
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { performance } from 'node:perf_hooks'

interface Outcome {
  passed: boolean
  /** Output of the gate, shown only if the gate failed. */
  output: string
}

interface Gate {
  name: string
  command: string
  arguments: string[]
  /** Returns the outcome from exit code and standard output. Without `judge`, a gate passes if its exit code is 0, and fails otherwise. */
  judge?: (code: number, stdout: string) => Outcome
}

const root = join(import.meta.dirname, '..', '..')
const folders = ['services', 'machines', 'shared', 'infra', 'test']

const gates: Gate[] = [
  { name: 'types', command: 'tsc', arguments: [] },
  { name: 'types of the dashboard', command: 'tsc', arguments: ['-p', 'services/dashboard'] },
  { name: 'style', command: 'biome', arguments: ['check', '--error-on-warnings', '--max-diagnostics=60', '--colors=off', '.'] },
  {
    name: 'arrows',
    command: 'depcruise',
    arguments: ['--config', '.dependency-cruiser.js', '--output-type', 'json', ...folders],
    judge: judgeArrows,
  },
  { name: 'dead code', command: 'knip', arguments: ['--no-progress', '--no-config-hints'] },
  { name: 'house rules', command: process.execPath, arguments: ['test/tidy/tidy.test.ts'], judge: judgeTidy },
]

const outcomes = await Promise.all(gates.map(run))
const failed = gates.filter((_, index) => !outcomes[index])
if (failed.length > 0) {
  console.error(`check failed: ${failed.map(gate => gate.name).join(', ')}`)
  process.exitCode = 1
} else {
  console.log(`check passed: ${gates.map(gate => gate.name).join(', ')}`)
}

async function run(gate: Gate): Promise<boolean> {
  const startedAt = performance.now()
  const { code, stdout, stderr } = await execute(gate.command, gate.arguments)
  const outcome = gate.judge?.(code, stdout) ?? { passed: code === 0, output: stdout }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  console.log(`${outcome.passed ? 'ok    ' : 'FAILED'} ${gate.name} (${seconds} s)`)
  if (!outcome.passed) console.log(`${outcome.output}${stderr}`.trimEnd())
  return outcome.passed
}

function execute(command: string, given: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const child = spawn(command, given, { cwd: root, env: { ...process.env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  return new Promise(resolve => {
    child.on('error', error => resolve({ code: 1, stdout, stderr: `${stderr}${command} could not be run: ${error.message}\n` }))
    child.on('close', code => resolve({ code: code ?? 1, stdout, stderr }))
  })
}

/**
 * Treats 0 modules as a failure. With an unsupported version of TypeScript, dependency-cruiser reads no module, so it finds no violation.
 */
function judgeArrows(_code: number, stdout: string): Outcome {
  let summary: { totalCruised: number; violations: { from: string; to: string; rule: { name: string } }[] }
  try {
    summary = JSON.parse(stdout).summary
  } catch {
    return { passed: false, output: stdout }
  }
  if (summary.totalCruised === 0) return { passed: false, output: 'dependency-cruiser looked at 0 modules\n' }
  const lines = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}\n`)
  return { passed: lines.length === 0, output: lines.join('') }
}

/** Shows only the lines of the test output that name failed tests or show differences. */
function judgeTidy(code: number, stdout: string): Outcome {
  const lines = stdout.split('\n').filter(line => /not ok|^\s*[+-]\s/.test(line))
  return { passed: code === 0, output: `${lines.join('\n')}\n` }
}
