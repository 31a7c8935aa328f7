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
import { commitHere, keepResult, readResults, resultOf, tableOfResults, writePage } from './table.ts'
import { tableKinds } from './table-kinds.ts'

interface FaultKind {
  meaning: string
  /** Resolves with null if the store of the stage is not installed. */
  set(): Promise<Stage | null>
  plan(stage: Stage, random: Random): Plan
}

const kindOf = <S extends Stage>(
  meaning: string,
  set: () => Promise<S | null>,
  plan: (stage: S, random: Random) => Plan,
): FaultKind => ({
  meaning,
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
--seeds 1-20     which seeds of each kind (1-20), also 20 for 1-20; one takes 1 to 4 minutes, one of the table about 75 s. 0: none, only
                 writes the table
--parallel N     seeds at once, 1 to 8 (1)
--logs DIR       writes the logs of each seed's processes there
--json           one JSON object on stdout instead of the table`

const ofTable: Record<string, FaultKind> = Object.fromEntries(
  Object.entries(tableKinds).map(([name, { meaning, set, plan }]) => [name, kindOf(meaning, set, plan)]),
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

async function runSeed(name: string, kind: FaultKind, seed: number, logs: string): Promise<Run> {
  const run = (outcome: Outcome | null, broken: string | null): Run => ({
    kind: name,
    seed,
    load: loadavg()[0] ?? 0,
    outcome,
    broken,
  })
  let stage: Stage | null = null
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${seedMs / minute} minutes`)), seedMs)
  })
  try {
    stage = await kind.set()
    if (stage === null) return run(null, 'the machine lacks what the stage needs: the store, or libfaketime')
    open.add(stage)
    const random = new Random(seed, name)
    return run(await Promise.race([live(stage, random, kind.plan(stage, random)), late]), null)
  } catch (error) {
    return run(null, String((error as Error).stack))
  } finally {
    clearTimeout(timer)
    if (stage !== null) {
      await stopOnce(stage)
      open.delete(stage)
      if (logs !== '') await writeFile(join(logs, `${name}-${seed}.log`), stage.output())
    }
  }
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
  const waiting = names.flatMap(name => Array.from({ length: to - from + 1 }, (_, n) => ({ name, seed: from + n })))
  if (values.logs !== '') await mkdir(values.logs, { recursive: true })
  const runs: Run[] = []
  const commit = commitHere()
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const run = await runSeed(next.name, known[next.name] as FaultKind, next.seed, values.logs)
      runs.push(run)
      tellRun(run)
      if (isTable) await keepResult(resultOf(run.kind, run.seed, commit, run.outcome))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  const table = isTable ? tableOfResults(await readResults(), tableKinds) : tableOf(runs, names)
  if (isTable) await writePage(table)
  process.stdout.write(`${values.json ? JSON.stringify({ runs }) : table.join('\n')}\n`)
  return runs.some(({ outcome }) => outcome === null || faults.some(each => outcome[each].length > 0)) ? 1 : 0
}

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
