// Runs the steps of a plan, one phase after another, with a limited number of parallel requests. A failure does not undo completed steps.
// A plan that is made afterwards omits the completed steps.

import { inParallel } from '#shared/async/in-parallel.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { type Clients, type Present, readNumbers, tablePath } from './present.ts'
import { phases, type Step, type StepRequest, sequential } from './step.ts'

/** A failed step. The message states the cause. */
export class StepFailure extends Error {
  readonly step: Step
  /** Whether the failed request got no response. Such a request may have taken effect. */
  readonly isUnanswered: boolean

  constructor(step: Step, reason: string, isUnanswered: boolean, cause: unknown) {
    super(reason, { cause })
    this.step = step
    this.isUnanswered = isUnanswered
  }
}

/** Returns one line with the failure and the advice `again`, such as `run it again`. */
export function failureSentence({ step: { kind, name, source }, message, isUnanswered }: StepFailure, again: string): string {
  const place = source === null ? '' : `${source.file}:${source.positionOf('').line}: `
  const advice = isUnanswered ? `${again} to go on` : `correct it, and ${again} to go on`
  return oneLine(`${place}${kind} ${name} failed: ${message.replace(/\.$/, '')}; ${advice}.`)
}

interface Run {
  clients: Clients
  present: Present
  /** Called each time a step has ended. Parallel steps may end in another order than in the plan. */
  onDone(step: Step): void
}

/** Runs the steps. Throws StepFailure for the first failed step, after all steps under way have ended. */
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
    else await inParallel(ofPhase, clientLimits.requestsAtOnce, run)
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
      const id = idOf(await send({ ...request, path }, clients))
      made ??= id
      if (request.makes !== undefined && id !== request.makes) {
        throw new StepFailure(step, `it was made as ${id}, because the key ${request.makes} is taken`, false, null)
      }
    }
    if (made !== null && step.phase === 'resources') known.ids.set(step.name, made)
  } catch (error) {
    if (error instanceof StepFailure) throw error
    const reason = clients.api.reasonOf(error)
    throw reason === null ? error : new StepFailure(step, reason.words, reason.isUnanswered, error)
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
