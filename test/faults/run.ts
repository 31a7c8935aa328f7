// `npm run faults`: runs real processes under faults, which each seed chooses. Compares each message and each acknowledged write with the
// required ones. Prints progress on stderr and the table on stdout. The run has a time limit and ends every process that it started, also
// on Ctrl-C.
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { minute, second } from '#shared/limits/limits.ts'
import { killAllPrograms } from '../integration/system.ts'
// Programs start in half the time with its compile cache.
import '../support/test-process.ts'
import { Random } from '../simulation/random.ts'
import { setClusterStage } from './cluster-stage.ts'
import { planDoubleRestart } from './double-restart.ts'
import { planKillStart } from './kill-start.ts'
import { live, type Outcome, type Plan } from './life.ts'
import { planMove } from './move.ts'
import { setMoveStage } from './move-stage.ts'
import { planNatsNode } from './nats-node.ts'
import { setSingleStage, setStoreStage } from './single-stage.ts'
import type { Stage } from './stage.ts'
import { planStoreOutage } from './store-outage.ts'
import { commitHere, keepResult, missingSeeds, readResults, resultOf, tableOfResults, writePage } from './table.ts'
import { tableKinds } from './table-kinds.ts'

interface FaultKind {
  meaning: string
  /** Resolves with null if the store of the stage is not installed. */
  set(): Promise<Stage | null>
  plan(stage: Stage, random: Random): Plan
  /** Largest number of seeds that use one stage, one after the other. */
  seedsPerStage: number
}

const kindOf = <S extends Stage>(
  meaning: string,
  set: () => Promise<S | null>,
  plan: (stage: S, random: Random) => Plan,
  seedsPerStage = 1,
): FaultKind => ({
  meaning,
  seedsPerStage,
  set,
  plan: (stage, random) => plan(stage as S, random),
})

const kinds: Record<string, FaultKind> = {
  'store-outage': kindOf('the store frozen or killed for 20 to 60 s', setStoreStage, planStoreOutage),
  'double-restart': kindOf('all ended and started twice', () => setSingleStage(), planDoubleRestart),
  'nats-node': kindOf('one NATS server of three killed or frozen', setClusterStage, planNatsNode),
  move: kindOf('moved to a cluster and back, the command killed by kill -9', setMoveStage, planMove),
  'kill-start': kindOf('all killed by kill -9 and started at once, twice', () => setSingleStage(), planKillStart),
}

/** Fewer starts per seed, and still not so many seeds that one stage decides the row of a kind. */
const seedsPerStage = 5

const listOf = (described: Record<string, { meaning: string }>): string =>
  Object.entries(described)
    .map(([name, { meaning }]) => `  ${name.padEnd(16)} ${meaning}`)
    .join('\n')

const usage = `npm run faults -- [table] [options]
table            runs the kinds of the table, adds the results to test/faults/table-results.jsonl, and writes the table into docs/detection.md
--kinds A,B      all without it:
${listOf(kinds)}
                 of the table:
${listOf(tableKinds)}
--seeds 1-20     which seeds of each kind (1-20), also 20 for 1-20; one takes 1 to 6 minutes, one of the table about 1 minute. The table
                 leaves out the seeds that have a result. 0: none, only writes the table
--again          runs the seeds of the table that have a result, too
--parallel N     seeds at once, 1 to 8 (1)
--logs DIR       writes the logs of each seed's processes there
--json           one JSON object on stdout instead of the table`

const ofTable: Record<string, FaultKind> = Object.fromEntries(
  Object.entries(tableKinds).map(([name, { meaning, set, plan, isWholeAgain }]) => [
    name,
    kindOf(meaning, set, plan, isWholeAgain ? seedsPerStage : 1),
  ]),
)

interface Run {
  kind: string
  seed: number
  /** Load average of the machine at the end of the seed. */
  load: number
  outcome: Outcome | null
  /** Error that ended the run of the seed without an outcome; null: there is an outcome. */
  broken: string | null
}

/** Time limit of a seed. A seed waits for 4 minutes at most, all its waits together. */
const seedMs = 10 * minute
const faults = ['wrong', 'lost', 'missing', 'late'] as const
const say = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const open = new Set<Stage>()
const stopping = new Map<Stage, Promise<void>>()

/** Runs the seeds one after the other in one stage. Removes each from `seeds` when it begins. Returns early after a broken seed. */
async function runStage(
  name: string,
  kind: FaultKind,
  seeds: number[],
  logs: string,
  done: (run: Run) => Promise<void>,
): Promise<void> {
  let stage: Stage | null = null
  const first = seeds[0] ?? 0
  try {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const run = (outcome: Outcome | null, broken: string | null): Run => ({
        kind: name,
        seed,
        load: loadavg()[0] ?? 0,
        outcome,
        broken,
      })
      try {
        stage ??= await kind.set()
        if (stage === null) throw new Error('the machine lacks what the stage needs: the store, or libfaketime')
        open.add(stage)
        const random = new Random(seed, name)
        const turn = { prefix: `s${seed}-`, isLast: seeds.length === 0 }
        await done(run(await within(seedMs, live(stage, random, kind.plan(stage, random), turn)), null))
      } catch (error) {
        await done(run(null, String((error as Error).stack)))
        return
      }
    }
  } finally {
    if (stage !== null) {
      await stopOnce(stage)
      open.delete(stage)
      if (logs !== '') await writeFile(join(logs, `${name}-${first}.log`), stage.output())
    }
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${ms / minute} minutes`)), ms)
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function tellRun({ kind, seed, load, outcome, broken }: Run): void {
  if (outcome === null) {
    say(`${kind} ${seed}: broken: ${broken}`)
    return
  }
  const { fault, latestMs, writeGapMs, reportGapMs, checkGapMs, failedRequests } = outcome
  const repeats = `${outcome.repeated.length} repeated`
  const gaps = `no write for ${writeGapMs} ms, no report of one sender for ${reportGapMs} ms, no check for ${checkGapMs} ms, ${failedRequests} requests failed`
  say(`${kind} ${seed}: ${fault}; told ${latestMs} ms late at most, ${repeats}, ${gaps}, load ${load.toFixed(1)}`)
  for (const each of faults) if (outcome[each].length > 0) say(`  ${each}: ${outcome[each].join('; ')}`)
}

/** Returns a table with one row for each kind of fault. */
function tableOf(runs: readonly Run[], names: readonly string[]): string[] {
  const rows = names.map(name => {
    const own = runs.filter(({ kind }) => kind === name)
    const outcomes = own.flatMap(({ outcome }) => outcome ?? [])
    const sums = faults.map(each => outcomes.reduce((sum, outcome) => sum + outcome[each].length, 0))
    const most = (['latestMs', 'writeGapMs', 'reportGapMs'] as const).map(each =>
      Math.max(0, ...outcomes.map(outcome => outcome[each])),
    )
    const repeated = outcomes.reduce((sum, outcome) => sum + outcome.repeated.length, 0)
    return [name, own.length, ...sums, own.length - outcomes.length, repeated, ...most]
  })
  const head = ['kind', 'seeds', 'false', 'lost', 'writes lost', 'late', 'broken', 'repeated']
  const heads = [...head, 'told late, ms', 'longest without a write, ms', 'without a report, ms']
  return [heads, heads.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`)
}

/** Returns the first and the last seed; one number: from 1 to that. */
function seedsOf(text: string, isTable: boolean): [from: number, to: number] {
  const [first = 1, last] = text.split('-').map(Number)
  if (last !== undefined) return [first, last]
  return isTable ? [1, first] : [first, first]
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kinds: { type: 'string' },
      seeds: { type: 'string', default: '1-20' },
      parallel: { type: 'string', default: '1' },
      logs: { type: 'string', default: '' },
      again: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const isTable = positionals[0] === 'table'
  const known = isTable ? ofTable : kinds
  const names = values.kinds?.split(',') ?? Object.keys(known)
  const [from, to] = seedsOf(values.seeds, isTable)
  const parallel = Number(values.parallel)
  const isCommand = positionals.length === (isTable ? 1 : 0)
  const isUsable = isCommand && names.every(name => known[name]) && from >= 0 && to >= from - 1 && parallel >= 1 && parallel <= 8
  if (values.help || !isUsable) {
    process.stderr.write(`${usage}\n`)
    return values.help ? 0 : 2
  }
  if (values.logs !== '') await mkdir(values.logs, { recursive: true })
  const runs: Run[] = []
  const commit = commitHere()
  const done = async (run: Run) => {
    runs.push(run)
    tellRun(run)
    if (isTable) await keepResult(resultOf(run.kind, run.seed, commit, run.outcome))
  }
  const kept = isTable && !values.again ? await readResults() : []
  const waiting = names.flatMap(name => {
    const seeds = missingSeeds(kept, name, from, to)
    return chunksOf(seeds, (known[name] as FaultKind).seedsPerStage).map(chunk => ({ name, chunk }))
  })
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, chunk } = next
      while (chunk.length > 0) await runStage(name, known[name] as FaultKind, chunk, values.logs, done)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  const table = isTable ? tableOfResults(await readResults(), tableKinds) : tableOf(runs, names)
  if (isTable) {
    await writePage(table)
    for (const name of names) {
      const missing = missingSeeds(await readResults(), name, 1, to)
      if (missing.length > 0) say(`${name}: no result of the seeds ${missing.join(', ')}`)
    }
  }
  process.stdout.write(`${values.json ? JSON.stringify({ runs }) : table.join('\n')}\n`)
  return runs.some(({ outcome }) => outcome === null || faults.some(each => outcome[each].length > 0)) ? 1 : 0
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

/** Stops a stage; a seed and the end of the run may both do so. */
function stopOnce(stage: Stage): Promise<void> {
  const stopped = stopping.get(stage) ?? stage.stop()
  stopping.set(stage, stopped)
  return stopped
}

/** Longest wait for the end of all stages. */
const endMs = 10 * second

const endEarly = async () => {
  await Promise.race([Promise.allSettled([...open].map(stopOnce)), pause(endMs)])
  process.exit(130)
}
// Started programs end even when this process crashes.
process.once('exit', killAllPrograms)
process.once('SIGINT', endEarly)
process.once('SIGTERM', endEarly)
// Ends the process, because a seed that exceeded its limit may still wait.
process.exit(await main())
