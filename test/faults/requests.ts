// Users of the installation during a fault: senders of reports, and a person who creates and deletes monitors. Remembers the acknowledged
// writes.
import { setTimeout as pause } from 'node:timers/promises'
import { second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { countPushed, pushedRows } from '../support/worlds/pushed-rows.ts'
import type { Thing } from './cast.ts'
import { isIn } from './outside-world.ts'
import { read, type Stage } from './stage.ts'

const retryMs = second / 2

/** Time without a successful request. */
export interface Gap {
  ms: number
  until: number
}

export class Requests {
  readonly #stage: Stage
  readonly #succeeded = new Map<string, number[]>()
  /** Values of the acknowledged reports, by name of the sender. */
  readonly #reported = new Map<string, number[]>()
  /** Monitors whose creation or deletion was acknowledged, by id; null: a deletion got no response. */
  readonly #written = new Map<string, boolean | null>()
  readonly #failures = new Set<string>()
  #failed = 0
  #endedAt: number | null = null
  #isWriting = true

  constructor(stage: Stage) {
    this.#stage = stage
  }

  get failed(): number {
    return this.#failed
  }

  get failures(): string[] {
    return [...this.#failures]
  }

  /** Ends all loops of `report`. */
  end(): void {
    this.#endedAt = Date.now()
  }

  endWriting(): void {
    this.#isWriting = false
  }

  /** Reports `ok` until `end`. During its problem, a reporter reports `problem` and a heart sends nothing. */
  async report({ name, sort, spell, everyMs, isCareful }: Thing): Promise<void> {
    const path = `/v2/subjects/${name}/signals/beat/observations?workspace_id=${this.#stage.workspaceId}`
    const values: number[] = []
    this.#reported.set(name, values)
    for (let value = 0; this.#endedAt === null; value++) {
      const now = Date.now()
      const status = isIn(spell, now) ? 'problem' : 'ok'
      const isSilent = sort === 'heart' && status === 'problem'
      const isTaken = isSilent || (await this.#try(name, () => this.#stage.call('POST', path, { status, value })))
      if (isTaken && !isSilent) values.push(value)
      await pause(isTaken || !isCareful ? Math.max(0, now + everyMs - Date.now()) : retryMs)
    }
  }

  /** Creates monitors until `endWriting`, and deletes every third of them. */
  async write(): Promise<void> {
    for (let n = 0; this.#isWriting; n++) {
      const body = {
        workspace_id: this.#stage.workspaceId,
        name: `written-${n}`,
        interval: 86_400,
        locations: ['local'],
        request: { url: this.#stage.outside.siteUrl('written'), method: 'GET' },
        response: { statuses: [200] },
      }
      const creation = async () => {
        const { id } = await this.#stage.call<{ id: string }>('POST', '/v2/monitoring/websites', body)
        this.#written.set(id, true)
        if (n % 3 > 0) return
        this.#written.set(id, null)
        await this.#stage.call('DELETE', `/v2/monitoring/websites/${id}`)
        this.#written.set(id, false)
      }
      await this.#try('write', creation)
      await pause(second)
    }
  }

  /** Returns the longest time without a successful request of this name, from `from` until now, or until the requests ended. */
  longestGap(name: string, from: number): Gap {
    const at = (this.#succeeded.get(name) ?? []).filter(each => each > from)
    const gaps = [...at, this.#endedAt ?? Date.now()].map((until, i, all) => ({ ms: until - (all[i - 1] ?? from), until }))
    return gaps.reduce((one, other) => (other.ms > one.ms ? other : one))
  }

  /** Returns acknowledged monitors that the API does not list, and deleted monitors that it lists. */
  async missingMonitors(): Promise<string[]> {
    const path = `/v2/monitoring/websites?workspace_id=${this.#stage.workspaceId}`
    const listed = new Set((await read<{ id: string }[]>(this.#stage.call, path)).map(({ id }) => id))
    const wrong = [...this.#written].filter(([id, isThere]) => isThere !== null && isThere !== listed.has(id))
    return wrong.map(([id, isThere]) => `monitor ${id}: ${isThere ? 'created' : 'deleted'}`)
  }

  /** Returns acknowledged reports that the store still lacks after `forMs`. `ids`: ids of the senders' subjects. */
  async missingReports(ids: ReadonlyMap<string, string>, forMs: number): Promise<string[]> {
    const store = await this.#stage.openStore()
    const until = Date.now() + forMs
    let missing = await this.#missingIn(store, ids)
    while (missing.length > 0 && Date.now() < until) {
      await pause(second)
      missing = await this.#missingIn(store, ids)
    }
    await store.close()
    return missing
  }

  async #missingIn(store: Store, ids: ReadonlyMap<string, string>): Promise<string[]> {
    const missing: string[] = []
    for (const [name, values] of this.#reported) {
      const id = ids.get(name) ?? ''
      const stored = new Set((await pushedRows(store, id)).map(({ value }) => value))
      const lost = values.filter(value => !stored.has(value))
      if (lost.length > 0) missing.push(`${name}: reports ${lost.join(', ')} of ${await countPushed(store, id)}`)
    }
    return missing
  }

  async #try(name: string, request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request()
      this.#succeeded.set(name, [...(this.#succeeded.get(name) ?? []), Date.now()])
      return true
    } catch (error) {
      this.#failed += 1
      this.#failures.add((error as Error).message)
      return false
    }
  }
}
