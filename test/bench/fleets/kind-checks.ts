// Program: makes checks of several kinds with a prober's own code, without schedule, store and bus. The rows take turns, so that the noise of
// the machine meets all of them. Argument: a file with the rows as JSON. Sends the figures to its parent.
import { readFileSync } from 'node:fs'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CheckContext, CheckOutcome } from '../../../services/prober/checks/checker.ts'
import { checkOf } from '../../../services/prober/checks/registry.ts'
import { createTrust } from '../../../services/prober/checks/trust.ts'

export interface KindRow {
  name: string
  entry: CheckEntry
}

export interface KindRows {
  rows: KindRow[]
  /** Number of rounds, and of checks of each row in a round. The first round is a warm-up. */
  rounds: number
  checks: number
}

export interface KindFigures {
  name: string
  /** CPU of this process for 1,000 checks in each round, ms. */
  cpuMsPerThousand: number[]
  /** Sentence of the first check that failed; null: all passed. */
  error: string | null
}

const atOnce = 16
const { rows, rounds, checks } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as KindRows
const clock = createSystemClock()
const context: CheckContext = {
  ...{ clock, resolve: createResolve({ clock }), trust: createTrust(), egress: createEgress(), userAgent: 'watchkeeper-bench' },
  bounds: limits.check,
}
const figures: KindFigures[] = rows.map(({ name }) => ({ name, cpuMsPerThousand: [], error: null }))

for (let round = 0; round <= rounds; round++) {
  for (const [i, { entry }] of rows.entries()) {
    const before = process.cpuUsage()
    const error = await makeChecks(entry)
    const { user, system } = process.cpuUsage(before)
    const figure = figures[i] as KindFigures
    figure.error ??= error
    if (round > 0) figure.cpuMsPerThousand.push((user + system) / checks)
  }
}
process.send?.(figures, () => process.exit(0))

/** Resolves with the sentence of the first check that failed; null: all passed. */
function makeChecks(entry: CheckEntry): Promise<string | null> {
  return new Promise(resolve => {
    let [begun, ended] = [0, 0]
    let error: string | null = null
    const begin = () => {
      if (begun++ < checks) checkOf(entry, context, end).start()
    }
    const end = (outcome: CheckOutcome) => {
      error ??= outcome.error
      if (++ended === checks) resolve(error)
      // Not from within the end of a check, whose connection is still being closed.
      else setImmediate(begin)
    }
    for (let i = 0; i < atOnce; i++) begin()
  })
}
process.on('disconnect', () => process.exit(0))
