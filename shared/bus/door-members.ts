// The probers of a location as its door tells them: at first by a question, then with the answer to each beat of this prober, and at once
// when one comes or leaves.

import type { Door } from '#shared/bus/door.ts'
import type { BucketEntry, Subscription } from '#shared/bus/port.ts'
import type { WatchHandlers } from '#shared/bus/present-keys.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { DoorRequest, Member, Members } from '#shared/contracts/door.ts'
import { limits } from '#shared/limits.ts'

type Sign = Pick<Member, 'at' | 'hasLeft'>

export class DoorMembers {
  readonly #door: Door
  readonly #watches = new Set<{ heard: Map<string, Sign>; onEntry(entry: BucketEntry): void }>()
  #changedAt = 0
  #onChanged: () => void = () => undefined

  constructor(door: Door) {
    this.#door = door
  }

  /** The revision of the newest change of checks that the door has told of. */
  changedAt(): number {
    return this.#changedAt
  }

  /** Called when that is another. */
  onChanged(listener: () => void): void {
    this.#onChanged = listener
  }

  async beat(proberId: string, state: unknown): Promise<void> {
    this.#hear(await this.#door.ask('beat', { proberId, state } as DoorRequest<'beat'>))
  }

  async leave(proberId: string): Promise<void> {
    await this.#door.ask('leave', { proberId })
  }

  async watch({ onEntry, onReady }: WatchHandlers): Promise<Subscription> {
    const members = await this.#door.ask('members', {})
    const watch = { heard: new Map(), onEntry }
    this.#watches.add(watch)
    this.#hear(members)
    onReady?.()
    return { close: async () => void this.#watches.delete(watch) }
  }

  /** Who they are by now. */
  hear(members: readonly Member[]): void {
    const told = new Set(members.map(({ proberId }) => proberId))
    for (const { heard, onEntry } of this.#watches) {
      for (const { proberId, at, hasLeft } of members) {
        if (!isNews(heard.get(proberId), { at, hasLeft })) continue
        heard.set(proberId, { at, hasLeft })
        onEntry({ key: keys.proberPresence(this.#door.locationId, proberId), revision: at, at, value: hasLeft ? null : {} })
      }
      // One that is told no more is silent to whoever watches; it may come back.
      for (const proberId of heard.keys()) if (!told.has(proberId)) heard.delete(proberId)
    }
  }

  #hear({ members, changedAt }: Members): void {
    this.hear(members)
    if (changedAt === null || changedAt === this.#changedAt) return
    this.#changedAt = changedAt
    this.#onChanged()
  }
}

/** Of two directories that answer, one may have heard a little less. A beat that is much older is one by a clock that was set back. */
function isNews(known: Sign | undefined, { at, hasLeft }: Sign): boolean {
  if (known === undefined) return !hasLeft
  if (known.at === at) return known.hasLeft !== hasLeft
  return at > known.at || known.at - at > limits.presence.goneMs
}
