// Runs the steps of a plan, one phase after another, with a limited number of parallel requests. A failure or a stop does not undo completed
// steps. A plan that is made afterwards omits the completed steps.

import { inParallel } from '#shared/async/in-parallel.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Clients, call, RouteRefusal } from './api.ts'
import { inWorkspace, type Present, readNumbers, tablePath } from './present.ts'
import { phases, type Step, type StepRequest, sequential } from './step.ts'

/** A failed step. The message states the cause. */
export class StepFailure extends Error {
  readonly step: Step
  /** Whether the step may succeed later without a change. */
  readonly mayRepeat: boolean

  constructor(step: Step, reason: string, mayRepeat: boolean, cause: unknown) {
    super(reason, { cause })
    this.step = step
    this.mayRepeat = mayRepeat
  }
}

interface Run {
  clients: Clients
  present: Present
  /** Called each time a step has ended. Parallel steps may end in another order than in the plan. */
  onDone(step: Step): void
  /** Whether no further step may begin. */
  isOver(): boolean
}

/** Runs the steps until `isOver`. Throws StepFailure for the first failed step, after all steps under way have ended. */
export async function runSteps(steps: readonly Step[], { clients, present, onDone, isOver }: Run): Promise<void> {
  const ids = new Map(present.resources.map(({ key, id }) => [key, id]))
  for (const phase of phases) {
    if (isOver()) return
    const ofPhase = steps.filter(step => step.phase === phase)
    const numbers = ofPhase.some(({ table }) => table !== undefined) ? await readNumbers(clients) : new Map<string, number>()
    const run = async (step: Step) => {
      if (isOver()) return
      if (step.verb !== 'left') await runStep(step, clients, { ids, numbers })
      onDone(step)
    }
    if (sequential.has(phase)) for (const step of ofPhase) await run(step)
    else await inParallel(ofPhase, limits.configuration.requestsAtOnce, run)
  }
}

interface Known {
  ids: Map<string, string>
  /** Ids of destinations in generation 2 (numbers), by name in lower case. */
  numbers: ReadonlyMap<string, number>
}

async function runStep(step: Step, clients: Clients, known: Known): Promise<void> {
  try {
    let made: string | null = null
    for (const request of [...step.requests, ...tableRequests(step, clients.workspace, known)]) {
      const path = request.isBelowMade ? `${request.path}/${made}` : request.path
      const id = idOf(await call(clients, { ...request, path }))
      made ??= id
      if (request.makes !== undefined && id !== request.makes) {
        throw new StepFailure(step, `it was made as ${id}, because the key ${request.makes} is taken`, false, null)
      }
    }
    if (made !== null && step.phase === 'resources') known.ids.set(step.name, made)
  } catch (error) {
    throw error instanceof RouteRefusal ? new StepFailure(step, error.message, error.mayRepeat, error) : error
  }
}

const idOf = (result: unknown): string | null =>
  typeof result === 'object' && result !== null && 'id' in result ? String(result.id) : null

function tableRequests({ table }: Step, workspace: string, { ids, numbers }: Known): StepRequest[] {
  if (table === undefined) return []
  const { key, isMonitor, rows } = table
  const path = `${tablePath({ id: ids.get(key) ?? '', key, isMonitor })}${inWorkspace(workspace)}`
  const selections = rows.map(({ destination, on }) => ({
    destination_id: numbers.get(destination.toLowerCase()),
    alert_kinds: on,
  }))
  return [{ api: 'v2', method: 'POST', path, body: { selections } }]
}
