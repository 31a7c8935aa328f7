// Report of a run: its machine, one table of quantities with budget and floor, and the details. Printed as text or as one JSON object, or
// written into test/bench/latest-run.md.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Detail, meets, type Quantity } from './run-context.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  node: string
  natsServer: string
  /** Commit of the measured tree; it ends with `-dirty` if the tree had changes that were not committed. */
  commit: string
}

export interface Report {
  startedAt: string
  elapsedSeconds: number
  machine: Machine
  options: { parts: string[]; seconds: number; quick: boolean; full: boolean }
  baselines: Record<string, number>
  quantities: (Quantity & { budgetMet: boolean | null; floorMet: boolean | null })[]
  details: Detail[]
}

export function describeMachine(): Machine {
  const own = join(root, '.tools', 'nats-server')
  const [processor] = cpus()
  return {
    cpu: processor?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    natsServer: versionOf(existsSync(own) ? own : 'nats-server'),
    commit: commitOf(root),
  }
}

function commitOf(folder: string): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=8'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch {
    return 'unknown'
  }
}

function versionOf(binary: string): string {
  try {
    return /v[\d.]+\S*/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

export const judged = (quantity: Quantity) => ({
  ...quantity,
  budgetMet: meets(quantity, quantity.budget),
  floorMet: meets(quantity, quantity.floor),
})

export function asText(report: Report): string {
  const blocks = [
    machineLine(report),
    textTable(report.quantities.map(quantityRow)),
    ...report.details.flatMap(({ title, rows }) => [`${title}:`, textTable(rows)]),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** Writes test/bench/latest-run.md: the figures with a budget or floor, the further figures, and the details. */
export function writeLatestRun(report: Report): void {
  const isBound = ({ budget, floor }: Quantity) => budget !== null || floor !== null
  const bound = markdownTable(report.quantities.filter(isBound).map(quantityRow))
  const further = markdownTable(report.quantities.filter(quantity => !isBound(quantity)).map(quantityRow))
  const details = [
    '## Budgets and floors',
    bound,
    '## Figures without a budget',
    further,
    ...report.details.flatMap(({ title, rows }) => [`## ${title}`, markdownTable(rows)]),
  ]
  writeFileSync(
    join(root, 'test', 'bench', 'latest-run.md'),
    `${[latestRunHead, machineLine(report), ...details].join('\n\n')}\n`,
  )
}

const latestRunHead =
  '# Latest run\n\nWritten by `npm run bench -- --write`. [BENCHMARKS.md](../../BENCHMARKS.md) has the main figures and the misses.'

function machineLine({ machine, startedAt, elapsedSeconds, options }: Report): string {
  const { cpu, cores, memoryGb, node, natsServer, commit } = machine
  const length = `${options.seconds} s a measurement${options.quick ? ', quick: no measurement' : ''}`
  return `${startedAt.slice(0, 10)}, commit ${commit}: ${cpu}, ${cores} cores, ${memoryGb} GB; Node ${node}, nats-server ${natsServer}; ${length}, ${Math.round(elapsedSeconds / 60)} min in all.`
}

function quantityRow(quantity: Report['quantities'][number]): Record<string, string | number> {
  const { part, name, unit, measured, baseline, ratio, better, budget, floor, budgetMet, floorMet } = quantity
  const relation = better === 'higher' ? '≥' : '≤'
  const bound = (value: number | null) =>
    value === null ? '' : `${relation} ${ratio === null ? figure(value) : asRatio(value, better)}`
  const word = (met: boolean | null) => (met === null ? '' : met ? 'met' : 'MISSED')
  return {
    part,
    quantity: name,
    measured: `${figure(measured)} ${unit}`,
    baseline: baseline === null ? '' : `${figure(baseline)} ${unit}`,
    ratio: ratio === null ? '' : asRatio(ratio, better),
    budget: bound(budget),
    '': word(budgetMet),
    floor: bound(floor),
    ' ': word(floorMet),
  }
}

/** Formats a ratio: a percentage if higher is better, a multiple if lower is better. */
const asRatio = (ratio: number, better: 'higher' | 'lower') =>
  better === 'higher' ? `${figure(ratio * 100)} %` : `${figure(ratio)} x`

function figure(value: number): string {
  if (!Number.isFinite(value)) return 'none'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

function cells(rows: Record<string, string | number>[]): string[][] {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return [columns.map(column => column.trim()), ...rows.map(row => columns.map(column => shown(row[column])))]
}

const shown = (cell: string | number | undefined): string =>
  cell === undefined ? '' : typeof cell === 'number' && !Number.isFinite(cell) ? '-' : String(cell)

function textTable(rows: Record<string, string | number>[]): string {
  const table = cells(rows)
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0)))
  return table
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function markdownTable(rows: Record<string, string | number>[]): string {
  const [head = [], ...body] = cells(rows)
  const line = (row: string[]) => `| ${row.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
