// Lost locations: those that had a live prober, are used by monitors, and have had none for limits.operator.lostMs. Listens to presence,
// and judges nothing while this process cannot hear it. One timer, set to the first location that would be lost.
import { type ProberSign, watchProbers } from '#shared/bus/probers/prober-presence.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { Change } from './conditions.ts'
import type { Watcher, Watching } from './context.ts'
import { bounded, counted, instantText, isoOrNull } from './message.ts'
import { usedLocations } from './used-locations.ts'

const kind = 'location_lost'
const { lostMs, usageMs, seenMs, retryMs } = limits.operator

interface Place {
  /** The newest sign on the monotonic clock, or since when this process listens. */
  heardAt: number
  /** The newest beat on the bus's clock, ms since the epoch; 0: none since this process runs. */
  seenAt: number
  /** Lost, and no monitor is checked from it. */
  isUnused: boolean
  /** A change of it is being written. */
  isBusy: boolean
}

/** Resolves when presence is watched. */
export async function watchLocations(watching: Watching): Promise<Watcher> {
  const { bus, clock } = watching.context
  const places = new Places(watching)
  const presence = await watchProbers(bus.bucket('presence'), clock, sign => places.hear(sign))
  places.listenBy(presence.isHearing)
  const stopListening = bus.onConnection(connected => {
    if (connected) places.listenAnew()
  })
  return {
    look: () => places.look(),
    stop: async () => {
      places.stop()
      stopListening()
      await presence.close()
    },
  }
}

class Places {
  readonly #watching: Watching
  readonly #places = new Map<string, Place>()
  /** Probers of which one beat was heard since this process listens. That may be an old one; a second one shows that they live. */
  readonly #heardOnce = new Set<string>()
  #cancel: Cancel = () => undefined
  #nextUsageAt = 0
  #isHearing = (): boolean => true

  constructor(watching: Watching) {
    this.#watching = watching
  }

  hear({ locationId, proberId, at, isEnd }: ProberSign): void {
    const place = this.#place(locationId)
    place.heardAt = this.#now()
    place.seenAt = Math.max(place.seenAt, at)
    const prober = `${locationId}.${proberId}`
    const lives = !isEnd && this.#heardOnce.has(prober)
    if (isEnd) this.#heardOnce.delete(prober)
    else this.#heardOnce.add(prober)
    if (!lives) return
    place.isUnused = false
    const known = this.#watching.conditions.get(kind, locationId)
    if (known === null) this.#write(locationId, () => this.#begin(locationId, place))
    else if (known.raised === 1) this.#write(locationId, () => this.#clear(locationId, 'back'))
  }

  /** `isHearing`: whether anybody at all is heard. */
  listenBy(isHearing: () => boolean): void {
    this.#isHearing = isHearing
  }

  /** Nobody can be called lost for beats that this process could not hear. */
  listenAnew(): void {
    this.#heardOnce.clear()
    for (const place of this.#places.values()) place.heardAt = this.#now()
    this.#arm()
  }

  async look(): Promise<void> {
    await this.#lookAtUsage()
    await this.#noteSeen()
    this.#arm()
  }

  stop(): void {
    this.#cancel()
  }

  /** The first time that a prober of it lives. */
  async #begin(id: string, { seenAt }: Place): Promise<void> {
    const { context, alter } = this.#watching
    const [location = null] = await context.store.get('locations', [id])
    if (location === null) return
    const live = { name: bounded(location.name), raised: false, since: seenAt, seenAt, notice: null }
    await alter(kind, id, present => (present === null ? live : null))
  }

  async #clear(id: string, reason: 'back' | 'unused' | 'deleted'): Promise<void> {
    const { context, alter } = this.#watching
    const [location = null] = await context.store.get('locations', [id])
    const { seenAt } = this.#place(id)
    await alter(kind, id, present => {
      if (present?.raised !== 1) return null
      return cleared(present, { name: bounded(location?.name ?? present.name), reason, seenAt })
    })
  }

  /** Lost if it is used and has still not been heard. */
  async #judge(id: string, place: Place): Promise<void> {
    const { context, conditions, alter } = this.#watching
    const [[location = null], used] = await Promise.all([context.store.get('locations', [id]), usedLocations(context.store)])
    if (this.#now() - place.heardAt < lostMs) return
    const monitors = used.get(id) ?? 0
    const document = conditions.get(kind, id)
    const seenAt = Math.max(place.seenAt, document?.seenAt ?? 0)
    place.isUnused = location === null || monitors === 0
    if (location === null || place.isUnused) {
      if (document !== null && document.seenAt < seenAt) await conditions.noteSeen([{ document, seenAt }])
    } else {
      const change = lost(id, bounded(location.name), seenAt, monitors)
      await alter(kind, id, present => (present?.raised === 0 ? change : null))
    }
  }

  /** Whether those that are lost are used: a monitor may have come to one, or gone. */
  async #lookAtUsage(): Promise<void> {
    const { context, conditions } = this.#watching
    const doubtful = conditions.ofKind(kind).filter(({ objectId, raised }) => raised === 1 || this.#place(objectId).isUnused)
    if (doubtful.length === 0 || this.#now() < this.#nextUsageAt) return
    this.#nextUsageAt = this.#now() + usageMs
    const used = await usedLocations(context.store)
    const ids = doubtful.map(({ objectId }) => objectId)
    const locations = await context.store.get('locations', ids)
    for (const [i, { id, objectId, raised, unsent }] of doubtful.entries()) {
      const isUsed = used.has(objectId)
      const isDeleted = locations[i] === null
      if (raised === 1 && !isUsed) await this.#clear(objectId, isDeleted ? 'deleted' : 'unused')
      else if (raised === 0 && isDeleted && unsent.length === 0) await conditions.remove([id])
      else this.#place(objectId).isUnused = !isUsed
    }
  }

  async #noteSeen(): Promise<void> {
    const { conditions } = this.#watching
    const seen = conditions.ofKind(kind).flatMap(document => {
      const { seenAt } = this.#place(document.objectId)
      return document.raised === 0 && seenAt - document.seenAt >= seenMs ? [{ document, seenAt }] : []
    })
    await conditions.noteSeen(seen)
  }

  #arm(): void {
    this.#cancel()
    const heard = this.#live().map(({ heardAt }) => heardAt)
    if (heard.length === 0 || this.#watching.context.stopping()) return
    const dueAt = Math.min(...heard) + lostMs
    this.#cancel = this.#watching.context.clock.schedule(Math.max(0, dueAt - this.#now()), () => this.#onDue(dueAt))
  }

  #onDue(dueAt: number): void {
    // Paused or cut off, this process may have missed beats.
    const isLate = this.#now() - dueAt > limits.presence.goneMs / 2
    if (isLate || !this.#watching.context.bus.connected() || !this.#isHearing()) {
      this.listenAnew()
      return
    }
    for (const place of this.#live()) {
      if (this.#now() - place.heardAt >= lostMs) this.#write(place.id, () => this.#judge(place.id, this.#place(place.id)))
    }
    this.#arm()
  }

  /** Places that are not lost yet, as far as this process knows. */
  #live(): (Place & { id: string })[] {
    return this.#watching.conditions.ofKind(kind).flatMap(({ objectId, raised }) => {
      const place = this.#place(objectId)
      return raised === 1 || place.isUnused || place.isBusy ? [] : [{ ...place, id: objectId }]
    })
  }

  /** One change of a location at a time; one that fails is tried again in a moment. */
  #write(id: string, work: () => Promise<void>): void {
    const { context } = this.#watching
    const place = this.#place(id)
    if (place.isBusy || context.stopping()) return
    place.isBusy = true
    const done = work().catch(error => {
      context.logger.warn({ error: String(error), locationId: id }, 'condition of a location not written')
      place.heardAt = Math.max(place.heardAt, this.#now() - lostMs + retryMs)
    })
    void done.then(() => {
      place.isBusy = false
      this.#arm()
    })
  }

  #place(id: string): Place {
    const known = this.#places.get(id)
    if (known !== undefined) return known
    const place = { heardAt: this.#now(), seenAt: 0, isUnused: false, isBusy: false }
    this.#places.set(id, place)
    return place
  }

  #now(): number {
    return this.#watching.context.clock.monotonic()
  }
}

function lost(id: string, name: string, seenAt: number, monitors: number): Change {
  const checked = `${counted(monitors, 'monitor is', 'monitors are')} not checked from there`
  return {
    name,
    raised: true,
    since: seenAt,
    seenAt,
    notice: {
      type: 'location.lost',
      summary: `Location ${name} has had no live prober since ${instantText(seenAt)}: ${checked}.`,
      log: 'location lost',
      details: { location_id: id, last_seen_at: isoOrNull(seenAt), monitors },
    },
  }
}

const ends = {
  back: 'has a live prober again',
  unused: 'is used by no monitor any more',
  deleted: 'was deleted',
}

function cleared(
  { objectId, since, seenAt }: ConditionDocument,
  now: { name: string; reason: keyof typeof ends; seenAt: number },
): Change {
  const { name, reason } = now
  const newest = Math.max(seenAt, now.seenAt)
  return {
    name,
    raised: false,
    since,
    seenAt: newest,
    notice: {
      type: 'location.back',
      summary: `Location ${name} ${ends[reason]}.`,
      log: reason === 'back' ? 'location back' : 'location no longer used',
      details: { location_id: objectId, last_seen_at: isoOrNull(newest), reason },
    },
  }
}
