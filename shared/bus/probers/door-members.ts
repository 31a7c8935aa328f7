// The probers of a location, as its door reports them: on request, in the response to each heartbeat, and in the response to a waiting
// request after a prober joins or leaves.

import type { BucketEntry, Subscription } from '#shared/bus/port.ts'
import type { WatchHandlers } from '#shared/bus/present-keys.ts'
import { type Door, DoorRefusal } from '#shared/bus/probers/door.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { CheckBucket, DoorRequest, Member, Members } from '#shared/contracts/observations/door.ts'
import { limits } from '#shared/limits/limits.ts'

type Sign = Pick<Member, 'at' | 'hasLeft'>

export class DoorMembers {
  readonly #door: Door
  readonly #watches = new Set<{ heard: Map<string, Sign>; onEntry(entry: BucketEntry): void }>()
  readonly #changedAt: Record<CheckBucket, number> = { checks: 0, 'check-pages': 0 }
  readonly #listeners = new Set<(of: CheckBucket) => void>()

  constructor(door: Door) {
    this.#door = door
  }

  /** Returns the newest revision of a bucket's checks that the door has reported. */
  changedAt(of: CheckBucket): number {
    return this.#changedAt[of]
  }

  /** Calls the listener after the newest revision of a bucket's checks changes. Returns a function that removes the listener. */
  onChanged(listener: (of: CheckBucket) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** An older directory refuses members of the state that it does not know, so it gets the rest. */
  async beat(proberId: string, given: unknown): Promise<void> {
    const state = given as DoorRequest<'beat'>['state']
    const { knows, ...beforeLevels } = state
    const { kinds, perSecond: _, ...beforeKinds } = beforeLevels
    const older = [...(knows === undefined ? [] : [beforeLevels]), ...(kinds === undefined ? [] : [beforeKinds])]
    const ask = async (said: DoorRequest<'beat'>['state']): Promise<Members> => {
      try {
        return await this.#door.ask('beat', { proberId, state: said })
      } catch (error) {
        const next = older.shift()
        if (next === undefined || !(error instanceof DoorRefusal) || error.code !== 'malformed') throw error
        return await ask(next)
      }
    }
    this.#hear(await ask(state))
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

  /** Applies a list of the present probers. */
  hear(members: readonly Member[]): void {
    const listed = new Set(members.map(({ proberId }) => proberId))
    for (const { heard, onEntry } of this.#watches) {
      for (const { proberId, at, hasLeft, kinds } of members) {
        if (!isNews(heard.get(proberId), { at, hasLeft })) continue
        heard.set(proberId, { at, hasLeft })
        const value = hasLeft ? null : presenceOf(kinds)
        onEntry({ key: keys.proberPresence(this.#door.locationId, proberId), revision: at, at, value })
      }
      // A prober that is no longer in the list counts as silent, and may return later.
      for (const proberId of heard.keys()) if (!listed.has(proberId)) heard.delete(proberId)
    }
  }

  #hear({ members, changedAt, pagesChangedAt }: Members): void {
    this.hear(members)
    this.#noteChange('checks', changedAt)
    this.#noteChange('check-pages', pagesChangedAt ?? null)
  }

  #noteChange(of: CheckBucket, changedAt: number | null): void {
    if (changedAt === null || changedAt === this.#changedAt[of]) return
    this.#changedAt[of] = changedAt
    for (const listener of this.#listeners) listener(of)
  }
}

/** Returns the presence of a prober as far as the door reports it. */
const presenceOf = (kinds: readonly string[] | undefined) =>
  kinds === undefined ? {} : { kinds: Object.fromEntries(kinds.map(kind => [kind, null])) }

/**
 * Returns true if a heartbeat or farewell of a prober is news. A message that is a little older than the known one comes from a slower
 * directory, and is not news. A message that is much older is news, because the clock was set back.
 */
function isNews(known: Sign | undefined, { at, hasLeft }: Sign): boolean {
  if (known === undefined) return !hasLeft
  if (known.at === at) return known.hasLeft !== hasLeft
  return at > known.at || known.at - at > limits.presence.goneMs
}
