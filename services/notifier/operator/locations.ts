// Condition about lost locations. A location is lost if monitors use it, and if it had a live prober but has had none for
// limits.operator.lostMs. Watches the presence entries of probers, and decides nothing while no presence entries arrive. One timer is set
// to the instant at which the next location would be lost.

import { type ProberSign, watchProbers } from '#shared/bus/probers/prober-presence.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { bounded, counted, instantText, isoOrNull, type Notice } from './message.ts'

const kind = 'location_lost'
const { lostMs, usageMs, seenMs, retryMs } = limits.operator

interface Place {
  /**
   * Instant of the latest beat of the location's probers on the monotonic clock, ms. Before the first beat, the instant at which this
   * process began to watch.
   */
  heardAt: number
  /** Instant of the latest beat on the bus's clock, ms since the epoch; 0: no beat since the start of this process. */
  seenAt: number
  /** True if the location is lost and no monitor uses it. */
  isUnused: boolean
  /** True while a change of the location is being written. */
  isBusy: boolean
}

/** Resolves when presence is watched. */
export async function watchLocations(context: OperatorContext, conditions: Conditions): Promise<Watcher> {
  const { bus, clock } = context
  const places = new Places(context, conditions)
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
  readonly #context: OperatorContext
  readonly #conditions: Conditions
  readonly #places = new Map<string, Place>()
  /** Probers of which this process has received one beat. The first beat may be old; a second beat shows that the prober lives. */
  readonly #heardOnce = new Set<string>()
  #cancel: Cancel = () => undefined
  #nextUsageAt = 0
  #isHearing = (): boolean => true

  constructor(context: OperatorContext, conditions: Conditions) {
    this.#context = context
    this.#conditions = conditions
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
    const known = this.#conditions.get(kind, locationId)
    if (known === null) this.#write(locationId, () => this.#begin(locationId, place))
    else if (known.raised === 1) this.#write(locationId, () => this.#clear(locationId, 'back'))
  }

  /** `isHearing` returns whether presence entries arrive at all. */
  listenBy(isHearing: () => boolean): void {
    this.#isHearing = isHearing
  }

  /** Restarts the time without a beat for all locations, because this process may have missed beats. */
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

  /** Stores that the condition of a location is not raised, when this location has a live prober for the first time. */
  async #begin(id: string, { seenAt }: Place): Promise<void> {
    const [location = null] = await this.#context.store.get('locations', [id])
    if (location === null) return
    const live = { name: bounded(location.name), raised: false, since: seenAt, seenAt, notice: null }
    await this.#conditions.begin(kind, id, live)
  }

  async #clear(id: string, reason: 'back' | 'unused' | 'deleted'): Promise<void> {
    const [location = null] = await this.#context.store.get('locations', [id])
    await this.#conditions.clear(kind, id, present => {
      const name = bounded(location?.name ?? present.name)
      const seenAt = Math.max(present.seenAt, this.#place(id).seenAt)
      return { ...cleared({ name, since: present.since }, backNotice(id, { name, seenAt, reason })), seenAt }
    })
  }

  /** Raises the condition if monitors use the location and no beat of its probers has arrived meanwhile. */
  async #judge(id: string, place: Place): Promise<void> {
    const { store } = this.#context
    const [[location = null], used] = await Promise.all([store.get('locations', [id]), usedLocations(store)])
    if (this.#now() - place.heardAt < lostMs) return
    const monitors = used.get(id) ?? 0
    const document = this.#conditions.get(kind, id)
    const seenAt = Math.max(place.seenAt, document?.seenAt ?? 0)
    place.isUnused = location === null || monitors === 0
    if (location === null || place.isUnused) {
      if (document !== null && document.seenAt < seenAt) await this.#conditions.noteSeen([{ document, seenAt }])
    } else {
      const name = bounded(location.name)
      const lost = { name, raised: true, since: seenAt, seenAt, notice: lostNotice(id, name, seenAt, monitors) }
      await this.#conditions.change(kind, id, present => (present?.raised === 0 ? lost : null))
    }
  }

  /** Checks again whether monitors use the lost locations. */
  async #lookAtUsage(): Promise<void> {
    const { store } = this.#context
    const lost = this.#conditions.ofKind(kind).filter(({ objectId, raised }) => raised === 1 || this.#place(objectId).isUnused)
    if (lost.length === 0 || this.#now() < this.#nextUsageAt) return
    this.#nextUsageAt = this.#now() + usageMs
    const used = await usedLocations(store)
    const ids = lost.map(({ objectId }) => objectId)
    const locations = await store.get('locations', ids)
    for (const [i, { id, objectId, raised, unsent }] of lost.entries()) {
      const isUsed = used.has(objectId)
      const isDeleted = locations[i] === null
      if (raised === 1 && !isUsed) await this.#clear(objectId, isDeleted ? 'deleted' : 'unused')
      else if (raised === 0 && isDeleted && unsent.length === 0) await this.#conditions.remove(id)
      else this.#place(objectId).isUnused = !isUsed
    }
  }

  async #noteSeen(): Promise<void> {
    const seen = this.#conditions.ofKind(kind).flatMap(document => {
      const { seenAt } = this.#place(document.objectId)
      return document.raised === 0 && seenAt - document.seenAt >= seenMs ? [{ document, seenAt }] : []
    })
    await this.#conditions.noteSeen(seen)
  }

  #arm(): void {
    this.#cancel()
    const heard = this.#live().map(({ heardAt }) => heardAt)
    if (heard.length === 0 || this.#context.stopping()) return
    const dueAt = Math.min(...heard) + lostMs
    this.#cancel = this.#context.clock.schedule(Math.max(0, dueAt - this.#now()), () => this.#onDue(dueAt))
  }

  #onDue(dueAt: number): void {
    // If this process was paused or cut off, it may have missed beats, so the time without a beat starts again.
    const isLate = this.#now() - dueAt > limits.presence.goneMs / 2
    if (isLate || !this.#context.bus.connected() || !this.#isHearing()) {
      this.listenAnew()
      return
    }
    for (const place of this.#live()) {
      if (this.#now() - place.heardAt >= lostMs) this.#write(place.id, () => this.#judge(place.id, this.#place(place.id)))
    }
    this.#arm()
  }

  /** Returns the locations that, as far as this process knows, are not lost. */
  #live(): (Place & { id: string })[] {
    return this.#conditions.ofKind(kind).flatMap(({ objectId, raised }) => {
      const place = this.#place(objectId)
      return raised === 1 || place.isUnused || place.isBusy ? [] : [{ ...place, id: objectId }]
    })
  }

  /** Writes one change of a location at a time. A failed change is retried after a moment. */
  #write(id: string, work: () => Promise<void>): void {
    const place = this.#place(id)
    if (place.isBusy || this.#context.stopping()) return
    place.isBusy = true
    const done = work().catch(error => {
      this.#context.logger.warn({ error: String(error), locationId: id }, 'condition of a location not written')
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
    return this.#context.clock.monotonic()
  }
}

function lostNotice(id: string, name: string, seenAt: number, monitors: number): Notice {
  const checked = `${counted(monitors, 'monitor is', 'monitors are')} not checked from there`
  return {
    type: 'location.lost',
    summary: `Location ${name} has had no live prober since ${instantText(seenAt)}: ${checked}.`,
    log: 'location lost',
    details: { location_id: id, last_seen_at: isoOrNull(seenAt), monitors },
  }
}

const ends = {
  back: 'has a live prober again',
  unused: 'is used by no monitor any more',
  deleted: 'was deleted',
}

const backNotice = (
  id: string,
  { name, seenAt, reason }: { name: string; seenAt: number; reason: keyof typeof ends },
): Notice => ({
  type: 'location.back',
  summary: `Location ${name} ${ends[reason]}.`,
  log: reason === 'back' ? 'location back' : 'location no longer used',
  details: { location_id: id, last_seen_at: isoOrNull(seenAt), reason },
})

/**
 * Returns the number of monitors by location id. No index contains locations, so this function reads every subject that is not deleted,
 * page by page.
 */
async function usedLocations(store: Store): Promise<Map<string, number>> {
  const used = new Map<string, number>()
  const query: Query = { where: { deletedAt: null }, select: ['checkLocations'], limit: limits.operator.scanSubjects }
  for await (const page of pagesOf(query, some => store.find('subjects', some))) {
    for (const { checkLocations } of page) for (const id of checkLocations) used.set(id, (used.get(id) ?? 0) + 1)
  }
  return used
}
