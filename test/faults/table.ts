// The table of faults in docs/detection.md, made from the results of all seeds. A run adds its seeds to the file of results, so the seeds need
// not be run at once.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { second } from '#shared/limits/limits.ts'
import type { Outcome } from './life.ts'
import type { TableKind } from './table-kinds.ts'

/** One seed of one kind: a line of the file of results. */
export interface Result {
  kind: string
  seed: number
  commit: string
  fault: string
  /** Numbers of messages and writes. */
  lost: number
  doubled: number
  wrong: number
  /** Longest times, ms. */
  writeGapMs: number
  reportGapMs: number
  checkGapMs: number
  latestMs: number
  /** Everything that was later than permitted. */
  late: string[]
  broken: boolean
}

const root = join(import.meta.dirname, '../..')
const resultsFile = join(import.meta.dirname, 'table-results.jsonl')
const page = join(root, 'docs/detection.md')
const [begin, end] = ['<!-- table of faults: begin -->', '<!-- table of faults: end -->']

/** Commit of the code that runs; `+` after it: with changes. */
export function commitHere(): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', 'services', 'shared', 'machines', 'infra') !== ''
  return `${git('rev-parse', '--short=8', 'HEAD')}${isChanged ? '+' : ''}`
}

export function resultOf(kind: string, seed: number, commit: string, outcome: Outcome | null): Result {
  if (outcome === null) {
    const none = { lost: 0, doubled: 0, wrong: 0, writeGapMs: 0, reportGapMs: 0, checkGapMs: 0, latestMs: 0 }
    return { kind, seed, commit, fault: '', ...none, late: [], broken: true }
  }
  const { fault, writeGapMs, reportGapMs, checkGapMs, latestMs, late } = outcome
  const [lost, doubled, wrong] = [outcome.lost.length + outcome.missing.length, outcome.repeated.length, outcome.wrong.length]
  return { kind, seed, commit, fault, lost, doubled, wrong, writeGapMs, reportGapMs, checkGapMs, latestMs, late, broken: false }
}

export async function readResults(): Promise<Result[]> {
  const text = await readFile(resultsFile, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Result)
}

/** Returns the seeds of the range that have no result yet. */
export function missingSeeds(results: readonly Result[], kind: string, from: number, to: number): number[] {
  const there = new Set(results.filter(result => result.kind === kind && !result.broken).map(({ seed }) => seed))
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n).filter(seed => !there.has(seed))
}

let keeping: Promise<void> = Promise.resolve()

/** Puts the result in the place of an earlier one of the same seed. Seeds that end together wait for each other. */
export function keepResult(result: Result): Promise<void> {
  keeping = keeping.then(async () => {
    const byKey = new Map([...(await readResults()), result].map(each => [`${each.kind} ${each.seed}`, each]))
    const all = [...byKey.values()].sort((one, other) => one.kind.localeCompare(other.kind) || one.seed - other.seed)
    await writeFile(resultsFile, all.map(each => `${JSON.stringify(each)}\n`).join(''))
  })
  return keeping
}

const secondsOf = (ms: number): string => (ms / second).toFixed(1)

/** Returns a table with a row for each kind. */
export function tableOfResults(results: readonly Result[], kinds: Record<string, TableKind>): string[] {
  const rows = Object.entries(kinds).flatMap(([kind, { meaning }]) => {
    const own = results.filter(result => result.kind === kind)
    if (own.length === 0) return []
    const sum = (of: (result: Result) => number) => own.reduce((total, result) => total + of(result), 0)
    const most = (of: (result: Result) => number) => secondsOf(Math.max(...own.map(of)))
    const counts = [sum(({ lost }) => lost), sum(({ doubled }) => doubled), sum(({ wrong }) => wrong)]
    const longest = [most(r => r.writeGapMs), most(r => r.reportGapMs), most(r => r.checkGapMs), most(r => r.latestMs)]
    const slow = own.filter(({ late, broken }) => late.length > 0 || broken).length
    return [[`\`${kind}\``, meaning, own.length, ...counts, slow, ...longest]]
  })
  const heads = [
    'kind',
    'the fault',
    'seeds',
    'lost',
    'doubled',
    'false',
    'slow',
    'no write, s',
    'no report, s',
    'no check, s',
    'told late, s',
  ]
  return [heads, heads.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`)
}

/** Writes the table into the page. */
export async function writePage(table: readonly string[]): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${page} has no place for the table`)
  await writeFile(page, `${text.slice(0, before + begin.length)}\n${table.join('\n')}\n${text.slice(after)}`)
}
