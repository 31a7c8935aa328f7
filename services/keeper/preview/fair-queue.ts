// Queue that is fair by workspace, and in a workspace by caller: each `next` gives the turn to the next workspace, and there to the next
// caller, whose oldest job is returned. Bounded.

export interface Owned {
  workspaceId: string
  callerId: string
}

export interface QueueBounds {
  accepted: number
  perWorkspace: number
  perCaller: number
}

/** Jobs of one workspace: jobs of each caller, oldest first. Callers and workspaces whose turn is longest ago come first. */
type Callers<Job> = Map<string, Set<Job>>

export class FairQueue<Job extends Owned> {
  readonly #bounds: QueueBounds
  readonly #workspaces = new Map<string, Callers<Job>>()

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  /** Adds a job. Returns false if the queue, the workspace or the caller has too many. */
  add(job: Job): boolean {
    const { accepted, perWorkspace, perCaller } = this.#bounds
    const callers: Callers<Job> = this.#workspaces.get(job.workspaceId) ?? new Map()
    const jobs = callers.get(job.callerId) ?? new Set()
    const all = [...this.#workspaces.values()].reduce((sum, one) => sum + sizeOf(one), 0)
    if (all >= accepted || sizeOf(callers) >= perWorkspace || jobs.size >= perCaller) return false
    this.#workspaces.set(job.workspaceId, callers.set(job.callerId, jobs.add(job)))
    return true
  }

  remove(job: Job): void {
    const callers = this.#workspaces.get(job.workspaceId)
    const jobs = callers?.get(job.callerId)
    jobs?.delete(job)
    if (jobs?.size === 0) callers?.delete(job.callerId)
    if (callers?.size === 0) this.#workspaces.delete(job.workspaceId)
  }

  /** Returns the job whose turn it is, which stays in the queue; null: there is none. */
  next(): Job | null {
    const [job] = turn(turn(this.#workspaces) ?? new Map<string, Set<Job>>()) ?? []
    return job ?? null
  }
}

const sizeOf = (callers: Callers<unknown>): number => [...callers.values()].reduce((sum, { size }) => sum + size, 0)

/** Returns the first value and moves it to the end; undefined: there is none. */
function turn<Value>(values: Map<string, Value>): Value | undefined {
  const [[key, value] = []] = values
  if (key === undefined || value === undefined) return undefined
  values.delete(key)
  values.set(key, value)
  return value
}
