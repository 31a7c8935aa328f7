// Runs one seed, from its plan to the final checks.
import { checkEnd } from './end.ts'
import { causeFault } from './faults.ts'
import { type Plan, planOf } from './plan.ts'
import { World } from './world.ts'

export interface Outcome {
  plan: Plan
  /** Descriptions of the violated invariants; empty: no invariant is violated. */
  problems: string[]
  trace: string[]
  /** Numbers of accepted reports and of commands. */
  counts: { reports: number; commands: number }
}

export async function simulate(seed: number, isTraced = false): Promise<Outcome> {
  const plan = planOf(seed)
  const world = new World(plan, isTraced)
  const onRejection = (reason: unknown) =>
    world.fault(`a promise was rejected and nobody saw it: ${(reason as Error)?.stack ?? reason}`)
  process.on('unhandledRejection', onRejection)
  try {
    await world.run(causeFault)
    await checkEnd(world)
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  const counts = { reports: world.ledger.reports.length, commands: world.ledger.deals.length }
  return { plan, problems: world.problems, trace: world.trace, counts }
}
