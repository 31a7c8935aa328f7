// `npm run bench [-- part …]`: measures the system on this machine, compares it with bare baselines of the same run, and reports which
// budgets are met. Progress on stderr; the report on stdout. The run has a time limit and uses only loopback. At its end, also on Ctrl-C,
// it ends every process that it started.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { alert } from './parts/part-alert.ts'
import { api } from './parts/part-api.ts'
import { apply } from './parts/part-apply.ts'
import { checks } from './parts/part-checks.ts'
import { cli } from './parts/part-cli.ts'
import { cluster } from './parts/part-cluster.ts'
import { dashboard } from './parts/part-dashboard.ts'
import { events } from './parts/part-events.ts'
import { flat } from './parts/part-flat.ts'
import { history } from './parts/part-history.ts'
import { ingest } from './parts/part-ingest.ts'
import { listed } from './parts/part-lists.ts'
import { locations } from './parts/part-locations.ts'
import { mcp } from './parts/part-mcp.ts'
import { memory } from './parts/part-memory.ts'
import { ping } from './parts/part-ping.ts'
import { pressure } from './parts/part-pressure.ts'
import { restart } from './parts/part-restart.ts'
import { roster } from './parts/part-roster.ts'
import { storage } from './parts/part-storage.ts'
import { v3Baselines } from './parts/part-v3-baselines.ts'
import { v3Burst } from './parts/part-v3-burst.ts'
import { v3Intake } from './parts/part-v3-intake.ts'
import { v3Memory } from './parts/part-v3-memory.ts'
import { v3Templates } from './parts/part-v3-templates.ts'
import { endAllChildren } from './run/processes.ts'
import { asText, describeMachine, judged, type Report, writeLatestRun } from './run/report.ts'
import { createRun, type Part, type RunOptions } from './run/run-context.ts'
import { selfCheck } from './run/self-check.ts'
import { removeAllTemporaryFolders } from './run/temporary-folder.ts'
import { printTopFunctions } from './run/top-functions.ts'

interface Described {
  part: Part
  meaning: string
}

/** Parts in the order of the run. `checks` comes first, because other parts use a share of the rate that it finds. */
const parts: Record<string, Described> = {
  checks: { part: checks, meaning: 'checks held on time, what each costs, how late they come' },
  alert: { part: alert, meaning: 'from a failing check to its webhook' },
  restart: { part: restart, meaning: 'stops, kills and starts' },
  api: { part: api, meaning: 'reads and writes with 10,000 monitors while checks run at half the held rate' },
  locations: { part: locations, meaning: 'three locations with three probers beside one, CPU per check' },
  ingest: {
    part: ingest,
    meaning: 'check results by the bus; observations over REST, by the bus, in bursts; custom subjects in memory',
  },
  lists: {
    part: listed,
    meaning: 'pages of 50 of 10,000 Resources behind filters; lists at a hundred times the incidents and messages',
  },
  roster: { part: roster, meaning: 'pages of the dashboard among 10,000 monitors' },
  events: { part: events, meaning: '1,000 event streams of browsers, 20 messages a second, beside checks' },
  pressure: { part: pressure, meaning: 'another key while one key holds all connections and sends unfinished bodies' },
  dashboard: { part: dashboard, meaning: 'first rows of the list in a browser, fast and slow, and a change until it is seen' },
  memory: { part: memory, meaning: '10,000 monitors: resident, and all checked after a cold start' },
  flat: {
    part: flat,
    meaning: 'equal rates of checks by 10,000 and 50,000 monitors: CPU per check, memory, ready after kill -9',
  },
  mcp: { part: mcp, meaning: 'the MCP server from its start beside a server of the same library with one tool' },
  apply: { part: apply, meaning: '1,000 Resources from a folder of files, and the same folder again' },
  storage: { part: storage, meaning: 'bytes on disk per check' },
  history: { part: history, meaning: 'an observation log of ten million checks: commits while a day is removed, size' },
  cluster: {
    part: cluster,
    meaning: 'each service in its process, with 1 to 3 keepers, on the shared store of the tests and on SecantusDB',
  },
  cli: { part: cli, meaning: 'read commands of the command line beside node alone' },
  'v3-intake': {
    part: v3Intake,
    meaning: 'Observations over REST beside generation 2, with and without audit, and in batches of 500',
  },
  ping: { part: ping, meaning: '1,000 pings in one second and 2,000 a second, beside 10,000 checks a minute' },
  'v3-burst': { part: v3Burst, meaning: 'bursts of Observations in turn with those of generation 2, beside checks' },
  'v3-templates': { part: v3Templates, meaning: 'a publication, and 1,000 Resources bound to another revision' },
  'v3-memory': { part: v3Memory, meaning: '10,000 Resources with three rules in memory' },
  'v3-baselines': { part: v3Baselines, meaning: '10,000 Resources with 7-day baselines that report every 5 minutes' },
}
const meanings = Object.entries(parts).map(([name, { meaning }]) => `  ${name.padEnd(14)} ${meaning}`)
/** Longest duration of a run, in case a part hangs. */
const wholeRunMs = 90 * 60_000
/** Rate of checks that the first full runs sustained on machines of two cores, in percent of the bare prober's rate. */
const heldShareDefault = '25'

const usage = `npm run bench [-- part … options]
parts (all without any):
${meanings.join('\n')}
options:
--json           one JSON object on stdout instead of tables
--seconds N      length of one measurement (40; 8 when quick)
--quick          small counts, to see that everything works; its figures are no measurement
--full           adds 50,000 monitors to memory, and 100,000 to flat
--rungs 20,30    shares of the bare prober's rate for checks, percent
--held N         held rate, percent of the bare prober's, for parts that take a share of it where checks does not run before them (25)
--profile DIR    writes CPU profiles of the system there and prints its most expensive functions on stderr
--write          rewrites test/bench/latest-run.md`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    rungs: { type: 'string' },
    held: { type: 'string', default: heldShareDefault },
    profile: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`)
const end = (code: number, why: string) => {
  if (why !== '') say(why)
  endAllChildren()
  removeAllTemporaryFolders()
  process.exit(code)
}

function readOptions(): { names: string[]; options: RunOptions } {
  const names = positionals.length > 0 ? positionals : Object.keys(parts)
  const strange = names.find(name => parts[name] === undefined)
  const seconds = Number(values.seconds ?? (values.quick ? 8 : 40))
  const heldShare = Number(values.held)
  const rungs = values.rungs?.split(',').map(Number) ?? null
  if (values.help) end(0, usage)
  if (strange !== undefined) end(2, `There is no part "${strange}".\n${usage}`)
  if (!(seconds >= 1 && seconds <= 600)) end(2, '--seconds must be from 1 to 600.')
  if (!(heldShare > 0 && heldShare <= 100)) end(2, '--held must be a percent, such as 25.')
  if (rungs?.some(share => !(share > 0 && share <= 100))) end(2, '--rungs must be percents, such as 20,30.')
  if (values.write && values.quick) end(2, 'A quick run is no measurement: --write needs a whole one.')
  const profile =
    values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`, '--cpu-prof-interval=500']
  return { names, options: { seconds, quick: values.quick, full: values.full, rungs, heldShare, nodeArguments: profile } }
}

/** Returns the report and the names of the parts that failed. Figures of the other parts are in the report. */
async function runParts(): Promise<{ report: Report; failed: string[] }> {
  const { names, options } = readOptions()
  const startedAt = new Date()
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true })
  const run = await createRun(options, say)
  const report: Report = {
    startedAt: startedAt.toISOString(),
    elapsedSeconds: 0,
    machine: describeMachine(),
    options: { parts: names, seconds: options.seconds, quick: options.quick, full: options.full },
    baselines: run.baselines,
    quantities: [],
    details: [],
  }
  const failed: string[] = []
  for (const name of names) {
    say(`${name}: begins`)
    try {
      const { quantities, details } = await (parts[name] as Described).part(run)
      report.quantities.push(...quantities.map(judged))
      report.details.push(...details)
    } catch (error) {
      failed.push(name)
      say(`${name} failed, the other parts go on: ${inspect(error)}`)
    }
  }
  await run.target.stop()
  report.elapsedSeconds = (Date.now() - startedAt.getTime()) / 1_000
  return { report, failed }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130, 'Interrupted.'))
process.once('exit', endAllChildren)
setTimeout(() => end(1, `The run took longer than ${wholeRunMs / 60_000} minutes.`), wholeRunMs).unref()

try {
  selfCheck()
  const { report, failed } = await runParts()
  if (values.profile !== undefined) printTopFunctions(join(values.profile), line => console.error(line))
  console.log(values.json ? JSON.stringify(report) : asText(report))
  if (failed.length > 0) end(1, `Parts that failed: ${failed.join(', ')}. Nothing was written.`)
  if (values.write) writeLatestRun(report)
  const broken = values.quick ? [] : report.quantities.filter(({ floorMet }) => floorMet === false)
  if (broken.length > 0) end(1, `Floors that are not met: ${broken.map(({ part, name }) => `${part}, ${name}`).join('; ')}.`)
  process.exitCode = 0
} catch (error) {
  end(1, `The run failed: ${(error as Error).stack ?? error}`)
}
