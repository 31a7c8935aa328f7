// Context of every part of a run, and the result of a part.
import { type BareProber, type BareRows, bareRowsNames, measureBareInsert, measureBareProber } from '../bare/baselines.ts'
import { startTarget, type Target } from './start-target.ts'
import { createSystem, type System, type SystemOptions } from './system.ts'

export interface RunOptions {
  /** Length of one measurement. */
  seconds: number
  /** Small counts, to see that everything works; its figures are no measurement. */
  quick: boolean
  /** Adds 50,000 monitors to `memory`. */
  full: boolean
  /** Shares of the bare prober's rate, percent; replaces those of the ladder. */
  rungs: readonly number[] | null
  /** Share of the bare prober's rate that counts as held where `checks` has not measured it in this run, percent. */
  heldShare: number
  /** Of the system's process, for profiling. */
  nodeArguments: readonly string[]
}

/** One figure, beside what it is compared with. */
export interface Quantity {
  part: string
  name: string
  unit: string
  measured: number
  /** Bare figure of the same machine in the same run; null if the figure stands for itself. */
  baseline: number | null
  /** `measured / baseline`; null where there is none. Budget and floor are ratios where it is not null. */
  ratio: number | null
  better: 'higher' | 'lower'
  /** Budget of the design; null: none. */
  budget: number | null
  /** Floor that may never be missed; null: none. */
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
  /** A line of progress. */
  say(line: string): void
  /** Measured once a run. */
  bareProber(): Promise<BareProber>
  /** Rows a second of the table of check results, or of pushed observations: the mean of what they are before `work` and after it. */
  besideBareInsert<T>(of: BareRows, work: () => Promise<T>): Promise<{ found: T; bareInsert: number }>
  /** Checks a second that the system holds: as `checks` found, if it ran before; else a share of what the bare prober makes. */
  heldRate(): Promise<number>
  /** What `checks` found. */
  foundHeld(checksPerSecond: number): void
  /** Results of this run's baselines, by name and unit. */
  baselines: Record<string, number>
  /** Gives a system that is not started yet to `work`, and removes it afterwards whatever happens. */
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

/** The ratio is worked out here, so that no part gets it upside down. */
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

/** True or false where there is a bound, null where there is none. A figure that could not be measured meets nothing. */
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
