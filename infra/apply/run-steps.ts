// Runs the steps of a plan, phase after phase, with bounded parallel requests. Steps before a failure stay done: the next plan leaves them out.
import { ClassicRefusal } from '#shared/api-v2/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'
import { inParallel } from './in-parallel.ts'
import { type Clients, type Present, readNumbers, tablePath } from './present.ts'
import { phases, type Step, type StepRequest, sequential } from './step.ts'

/** A step that failed, with its cause in words. */
export class StepFailure extends Error {
  readonly step: Step
  /** No answer came: it may have been carried out. */
  readonly isUnanswered: boolean

  constructor(step: Step, reason: string, isUnanswered: boolean, cause: unknown) {
    super(reason, { cause })
    this.step = step
    this.isUnanswered = isUnanswered
  }
}

interface Run {
  clients: Clients
  present: Present
  /** Called in the order in which steps end. */
  onDone(step: Step): void
}

/** Throws StepFailure for the first step that failed, once those under way have ended. */
export async function runSteps(steps: readonly Step[], { clients, present, onDone }: Run): Promise<void> {
  const ids = new Map(present.resources.map(({ key, id }) => [key, id]))
  for (const phase of phases) {
    const ofPhase = steps.filter(step => step.phase === phase)
    const numbers = ofPhase.some(({ table }) => table !== undefined) ? await readNumbers(clients) : new Map<string, number>()
    const run = async (step: Step) => {
      if (step.verb !== 'left') await runStep(step, clients, { ids, numbers })
      onDone(step)
    }
    if (sequential.has(phase)) for (const step of ofPhase) await run(step)
    else await inParallel(ofPhase, run)
  }
}

interface Known {
  /** Ids of Resources by key. */
  ids: Map<string, string>
  /** Numbers of destinations in generation 2, by name in lower case. */
  numbers: ReadonlyMap<string, number>
}

async function runStep(step: Step, clients: Clients, known: Known): Promise<void> {
  try {
    let made: string | null = null
    for (const request of [...step.requests, ...tableRequests(step, clients.workspace, known)]) {
      const path = request.isBelowMade ? `${request.path}/${made}` : request.path
      const id = idOf(await send({ ...request, path }, clients))
      made ??= id
      if (request.makes !== undefined && id !== request.makes) {
        throw new StepFailure(step, `it was made as ${id}, because the key ${request.makes} is taken`, false, null)
      }
    }
    if (made !== null && step.phase === 'resources') known.ids.set(step.name, made)
  } catch (error) {
    throw failureOf(step, error)
  }
}

async function send({ api, method, path, body }: StepRequest, { api: { call, classic } }: Clients): Promise<unknown> {
  return (api === 'v2' ? classic : call)({ method, path, body })
}

const idOf = (result: unknown): string | null =>
  typeof result === 'object' && result !== null && 'id' in result ? String(result.id) : null

function tableRequests({ table }: Step, workspace: string, { ids, numbers }: Known): StepRequest[] {
  if (table === undefined) return []
  const { key, isMonitor, rows } = table
  const path = `${tablePath({ id: ids.get(key) ?? '', key, isMonitor })}?workspace_id=${encodeURIComponent(workspace)}`
  const selections = rows.map(({ destination, on }) => ({
    destination_id: numbers.get(destination.toLowerCase()),
    alert_kinds: on,
  }))
  return [{ api: 'v2', method: 'POST', path, body: { selections } }]
}

function failureOf(step: Step, error: unknown): unknown {
  if (error instanceof ApiRefusal) {
    const { field, used_by: users } = error.body.details
    const place = typeof field === 'string' ? ` (${field})` : typeof users === 'string' ? ` (${users})` : ''
    return new StepFailure(step, `${error.message}${place}`, false, error)
  }
  if (error instanceof ClassicRefusal) return new StepFailure(step, `${error.message}: ${error.details}`, false, error)
  if (error instanceof ApiUnreachable) return new StepFailure(step, error.message, true, error)
  return error
}
