// Destinations and delivery tables of a simulated workspace, and people's changes to them. Each change is one write to the store at one
// instant. `statesBetween` returns the states that were in force during a period.
import type { DeliveryTableDocument, DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Store } from '#shared/store/port.ts'
import type { Random } from '../../random.ts'

const minute = 60_000

export interface Place {
  id: string
  type: 'slack' | 'webhook'
  enabled: boolean
  sendOnOpen: boolean
  isDefault: boolean
}

export interface TableRow {
  destination: string
  kinds: string[]
}

/** State of the destinations and tables, in force from `at`. */
export interface PostState {
  at: number
  places: readonly Place[]
  /** Delivery tables by Resource. */
  tables: ReadonlyMap<string, readonly TableRow[]>
}

export type PostDeed = { at: number; kind: 'post' } & (
  | { does: 'switch' | 'opt' | 'default' | 'delete'; destination: string }
  | { does: 'table'; resource: number; rows: TableRow[] }
)

const begun: readonly Place[] = [
  { id: 'chat', type: 'slack', enabled: true, sendOnOpen: false, isDefault: true },
  { id: 'hook', type: 'webhook', enabled: true, sendOnOpen: true, isDefault: false },
  { id: 'pager', type: 'webhook', enabled: true, sendOnOpen: false, isDefault: false },
  { id: 'spare', type: 'webhook', enabled: true, sendOnOpen: true, isDefault: false },
]

export const destinations = begun.map(({ id }) => ({ id, name: id }))

export function makePostDeeds(random: Random, start: number, lengthMs: number): PostDeed[] {
  const at = () => start + random.integer(minute, lengthMs)
  const destination = () => random.pick(destinations).id
  const deeds: PostDeed[] = []
  for (let i = random.integer(2, 8); i > 0; i--)
    deeds.push({ at: at(), kind: 'post', does: 'switch', destination: destination() })
  for (let i = random.integer(0, 3); i > 0; i--) deeds.push({ at: at(), kind: 'post', does: 'opt', destination: destination() })
  for (let i = random.integer(0, 4); i > 0; i--)
    deeds.push({ at: at(), kind: 'post', does: 'default', destination: destination() })
  if (random.chance(0.3)) deeds.push({ at: at(), kind: 'post', does: 'delete', destination: destination() })
  for (let i = random.integer(0, 4); i > 0; i--)
    deeds.push({ at: at(), kind: 'post', does: 'table', resource: random.integer(0, 1), rows: rows(random) })
  return deeds
}

function rows(random: Random): TableRow[] {
  const chosen = destinations.filter(() => random.chance(0.4))
  return chosen.map(({ id }) => {
    const kinds = ['problem', 'no_data', 'recovery'].filter(() => random.chance(0.7))
    return { destination: id, kinds: kinds.length > 0 ? kinds : ['problem'] }
  })
}

export class Post {
  readonly states: PostState[] = []
  readonly #store: Store
  readonly #urlOf: (destination: string) => string
  readonly #revs = new Map<string, number>()

  constructor(store: Store, urlOf: (destination: string) => string) {
    this.#store = store
    this.#urlOf = urlOf
  }

  async begin(at: number): Promise<void> {
    await this.#become({ at: Number.NEGATIVE_INFINITY, places: begun, tables: new Map() }, at)
  }

  /** Returns the states in force at some instant from `from` to `to`, including states that ended or began at either instant. */
  statesBetween(from: number, to: number): PostState[] {
    const first = this.states.findLastIndex(({ at }) => at < from)
    return this.states.filter(({ at }, i) => i >= first && at <= to)
  }

  isChangedAt(instant: number): boolean {
    return this.states.some(({ at }) => at === instant)
  }

  async change(deed: PostDeed, resourceIds: readonly string[], at: number): Promise<void> {
    const { places, tables } = this.states.at(-1) as PostState
    if (deed.does === 'table') {
      const resourceId = resourceIds[deed.resource] as string
      const there = deed.rows.filter(row => places.some(({ id }) => id === row.destination))
      return this.#become({ at, places, tables: new Map([...tables, [resourceId, there]]) }, at)
    }
    const { destination, does } = deed
    // Only an enabled destination can become the default.
    const isMarkable = places.some(({ id, enabled }) => id === destination && enabled)
    const changed = places.map((place): Place => {
      if (does === 'default') return isMarkable ? { ...place, isDefault: place.id === destination } : place
      if (place.id !== destination) return place
      if (does === 'switch') return { ...place, enabled: !place.enabled }
      return does === 'opt' ? { ...place, sendOnOpen: place.type === 'webhook' && !place.sendOnOpen } : place
    })
    const kept = does === 'delete' ? changed.filter(({ id }) => id !== destination) : changed
    await this.#become({ at, places: kept, tables }, at)
  }

  async #become(state: PostState, at: number): Promise<void> {
    const gone = (this.states.at(-1)?.places ?? []).filter(({ id }) => !state.places.some(place => place.id === id))
    this.states.push(state)
    await this.#store.delete(
      'destinations',
      gone.map(({ id }) => id),
    )
    await this.#store.replace(
      'destinations',
      state.places.map(place => this.#document(place, at)),
    )
    const tables = [...state.tables].map(([id, rows]): DeliveryTableDocument => {
      const selections = rows.map(({ destination, kinds }) => ({ destinationId: destination, alertKinds: kinds as never }))
      return { id, rev: this.#rev(id), workspaceId: 'w', selections, updatedAt: at }
    })
    await this.#store.replace('deliveryTables', tables)
  }

  #document({ id, type, enabled, sendOnOpen, isDefault }: Place, at: number): DestinationDocument {
    return {
      ...{
        id,
        rev: this.#rev(id),
        number: begun.findIndex(place => place.id === id) + 1,
        workspaceId: 'w',
        name: id,
        nameKey: id,
      },
      ...{ type, channel: '', url: this.#urlOf(id), enabled, sendOnOpen, default: isDefault, transformationId: null },
      defaultAt: isDefault ? at : null,
      ...{ createdAt: 0, updatedAt: at },
    }
  }

  #rev(id: string): number {
    const rev = (this.#revs.get(id) ?? 0) + 1
    this.#revs.set(id, rev)
    return rev
  }
}
