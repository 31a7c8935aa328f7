// Context of every part of a run, and the result of a part.
import { type BareProber, type BareRows, bareRowsNames, measureBareInsert, measureBareProber } from '../bare/baselines.ts'
import { startTarget, type Target } from './start-target.ts'
import { createSystem, type System, type SystemOptions } from './system.ts'

export interface RunOptions {
  /** Length of one measurement. */
  seconds: number
  /** True: the counts are so small that the run only shows that everything works. Its figures are no measurement. */
  quick: boolean
  /** True: larger fleets in `memory` and `flat`. */
  full: boolean
  /** Steps of the rate that replace the ladder of `checks`, percent of the bare prober's rate; null: `checks` uses its ladder. */
  rungs: readonly number[] | null
  /** Share of the bare prober's rate that counts as sustained if `checks` has not measured it in this run, percent. */
  heldShare: number
  /** Node options of the system's process, for profiling. */
  nodeArguments: readonly string[]
}

/** One figure with its baseline, budget and floor. */
export interface Quantity {
  part: string
  name: string
  unit: string
  measured: number
  /** Bare figure of the same machine in the same run; null if the figure has none. */
  baseline: number | null
  /** `measured / baseline`; null: no baseline. If the ratio is not null, budget and floor are ratios too. */
  ratio: number | null
  better: 'higher' | 'lower'
  /** Budget of the design; null: none. */
  budget: number | null
  /** Bound that the figure must always meet; null: none. */
  floor: number | null
}

/** Rows of one kind, shown under a heading. */
export interface Detail {
  title: string
  rows: Record<string, string | number>[]
}

export interface PartResult {
  quantities: Quantity[]
  details: Detail[]
}

export type Part = (run: Run) => Promise<PartResult>

export interface Run {
  options: RunOptions
  target: Target
  /** Prints a line of progress. */
  say(line: string): void
  /** Figures of the bare prober, measured once a run. */
  bareProber(): Promise<BareProber>
  /**
   * Runs `work` between two bare inserts of check results or pushed observations. `bareInsert`: mean rate of the two inserts, rows a
   * second.
   */
  besideBareInsert<T>(of: BareRows, work: () => Promise<T>): Promise<{ found: T; bareInsert: number }>
  /** Checks a second that the system sustains: the rate that `checks` found, or else a share of the bare prober's rate. */
  heldRate(): Promise<number>
  /** Stores the rate that `checks` found. */
  foundHeld(checksPerSecond: number): void
  /** Results of this run's baselines, by name and unit. */
  baselines: Record<string, number>
  /** Calls `work` with a system that is not started yet, and always removes the system afterwards. */
  withSystem<T>(work: (system: System) => Promise<T>, options?: SystemOptions): Promise<T>
}

export async function createRun(options: RunOptions, say: (line: string) => void): Promise<Run> {
  const target = await startTarget()
  const baselines: Record<string, number> = {}
  const bareProber = once(async () => {
    say('baseline: bare prober')
    const figures = await measureBareProber(target, options.quick ? 3 : Math.max(9, options.seconds / 2))
    const { checksPerSecond, cpuMsPerThousand } = figures
    say(`baseline: ${Math.round(checksPerSecond)} checks/s, ${cpuMsPerThousand.toFixed(0)} ms of CPU per 1,000`)
    baselines['bare prober, checks/s'] = checksPerSecond
    baselines['bare prober, CPU ms per 1,000 checks'] = cpuMsPerThousand
    return figures
  })
  const bareInsert = (of: BareRows) => {
    say(`baseline: bare insert of ${bareRowsNames[of]}`)
    const rate = measureBareInsert(of, options.quick ? 60_000 : 300_000)
    say(`baseline: ${Math.round(rate)} rows/s`)
    return rate
  }
  let held: number | null = null
  return {
    options,
    target,
    say,
    bareProber,
    besideBareInsert: async (of, work) => {
      const before = bareInsert(of)
      const found = await work()
      const mean = (before + bareInsert(of)) / 2
      baselines[`bare insert of ${bareRowsNames[of]}, rows/s`] = mean
      return { found, bareInsert: mean }
    },
    heldRate: async () => held ?? ((await bareProber()).checksPerSecond * options.heldShare) / 100,
    foundHeld: checksPerSecond => {
      held = checksPerSecond
    },
    baselines,
    withSystem: async (work, systemOptions = {}) => {
      const system = await createSystem({ nodeArguments: options.nodeArguments, ...systemOptions })
      try {
        return await work(system)
      } finally {
        await target.forget()
        await system.remove()
      }
    },
  }
}

/** Returns a quantity with its ratio. The ratio is computed in one place, so that no part inverts it. */
export function quantity(
  part: string,
  name: string,
  unit: string,
  measured: number,
  judged: { better: 'higher' | 'lower'; baseline?: number; budget?: number; floor?: number },
): Quantity {
  const { better, baseline = null, budget = null, floor = null } = judged
  return { part, name, unit, measured, baseline, ratio: baseline === null ? null : measured / baseline, better, budget, floor }
}

/** Returns whether the figure meets the bound; null: no bound. A figure that could not be measured meets no bound. */
export function meets({ measured, ratio, better }: Quantity, bound: number | null): boolean | null {
  if (bound === null) return null
  const value = ratio ?? measured
  return better === 'higher' ? value >= bound : value <= bound
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
