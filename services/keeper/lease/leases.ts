// Leases of partitions in a bucket, renewed by compare-and-set. A lease only decides which keeper works on a partition. The subject's
// revision guards every write of a subject, even if the writer has no lease.
import { type Repeated, repeat } from '#shared/async/repeat.ts'
import type { BucketEntry, Subscription } from '#shared/bus/port.ts'
import { keys, parseLease } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { HeardTime } from '#shared/time/heard-time.ts'
import { accountFound, accountNow, type Held, type Lease, precedentOf, type Seen } from './lease-account.ts'
import type { LeaseOptions } from './lease-options.ts'
import { Peers } from './peers.ts'
import { holdingsOf, sharedOut, successorsOf } from './shares.ts'

export interface Leases {
  /** Returns whether this keeper holds the partition's lease and has renewed it recently enough to commit now. */
  mayCommit(partition: number): boolean
  held(): number[]
  /** Releases the lease of one partition, so that another keeper takes it at once. */
  release(partition: number): Promise<void>
  /** Releases all leases and stops. */
  stop(): Promise<void>
}

export async function holdLeases(options: LeaseOptions): Promise<Leases> {
  const keeper = new LeaseHolder(options)
  await keeper.start()
  return keeper
}

const everyPartition = Array.from({ length: limits.partitions }, (_, partition) => partition)

class LeaseHolder implements Leases {
  readonly #options: LeaseOptions
  readonly #held = new Map<number, Held>()
  readonly #seen = new Map<number, Seen>()
  readonly #peers: Peers
  readonly #releasedAt = new Map<number, number>()
  readonly #acquiring = new Set<number>()
  readonly #handingOver = new Set<number>()
  /** Start of each running renewal of a lease on the monotonic clock, by partition. */
  readonly #renewing = new Map<number, number>()
  readonly #heard: HeardTime
  /** Start of the newest renewal that got no response although the bus was connected. */
  #unansweredAt = Number.NEGATIVE_INFINITY
  #stopListening = () => {}
  #subscriptions: Subscription[] = []
  #repeats: Repeated[] = []
  #stopped = false

  constructor(options: LeaseOptions) {
    this.#options = options
    const monotonic = () => options.clock.monotonic()
    this.#peers = new Peers(options.keeperId, monotonic)
    this.#heard = new HeardTime(monotonic, limits.keeper.leaseGapMs)
  }

  async start(): Promise<void> {
    const { bus, mayStart } = this.#options
    mayStart(partition => this.mayCommit(partition))
    const leases = await bus.bucket('leases').watch('>', { onEntry: entry => this.#see(entry), onReady: () => this.#seek() })
    const peers = await bus.bucket('presence').watch(keys.allKeepers, { onEntry: entry => this.#peers.meet(entry) })
    this.#subscriptions = [leases, peers]
    // After a reconnect, renews at once, because the leases have aged meanwhile.
    this.#stopListening = bus.onConnection(connected => connected && this.#renewAll())
    this.#repeat(limits.keeper.leaseRenewMs, () => this.#renewAll())
    this.#repeat(limits.keeper.balanceMs, () => this.#tend())
    this.#repeat(limits.presence.beatMs, () => void this.#beat())
    await this.#beat()
  }

  mayCommit(partition: number): boolean {
    const held = this.#held.get(partition)
    if (held === undefined) return false
    const { leaseGiveUpMs, leaseUnansweredMs } = limits.keeper
    const now = this.#options.clock.monotonic()
    if (now - held.renewedAt < leaseGiveUpMs) return true
    // If the bus does not respond, no rival can take the lease either, so a longer time without renewal is allowed (ADR 24).
    // A renewal that is under way excuses, too: it has not been refused, and a lost response shows only after its time-out.
    const askedAt = Math.max(this.#unansweredAt, this.#renewing.get(partition) ?? Number.NEGATIVE_INFINITY)
    const isExcused = this.#options.bus.connected() && now - askedAt < leaseGiveUpMs
    return isExcused && now - held.renewedAt < leaseUnansweredMs
  }

  held(): number[] {
    return [...this.#held.keys()]
  }

  async release(partition: number, successor: string | null = null): Promise<void> {
    const held = this.#held.get(partition)
    if (held === undefined) return
    this.#held.delete(partition)
    this.#releasedAt.set(partition, this.#options.clock.monotonic())
    const given = successor === null ? {} : { successor }
    const free = { holder: null, ...given, ...accountNow(this.#options.notesOf(partition), held.found) }
    await this.#leases.update(keys.lease(partition), free, held.revision).catch(() => null)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening()
    for (const repeated of this.#repeats) void repeated.stop()
    await Promise.all(this.held().map(partition => this.release(partition)))
    await this.#options.bus
      .bucket('presence')
      .delete(keys.keeperPresence(this.#options.keeperId))
      .catch(() => undefined)
    await Promise.all(this.#subscriptions.map(subscription => subscription.close().catch(() => undefined)))
  }

  get #leases() {
    return this.#options.bus.bucket('leases')
  }

  #repeat(everyMs: number, run: () => void): void {
    this.#repeats.push(repeat({ clock: this.#options.clock, everyMs }, run))
  }

  #see(entry: BucketEntry): void {
    this.#heard.sign()
    const partition = parseLease(entry.key)
    if (partition === null) {
      this.#seek()
      return
    }
    const known = this.#seen.get(partition)
    if (known !== undefined && entry.revision === known.revision) return
    const { holder = null, successor = null, ...account } = (entry.value ?? {}) as Lease
    const since = this.#options.clock.monotonic()
    const { revision, at } = entry
    this.#seen.set(partition, { revision, holder, successor, account, since, heardAt: this.#heard.now(), at })
    const mine = this.#held.get(partition)
    if (mine !== undefined && entry.revision > mine.revision && holder !== this.#options.keeperId)
      this.#lose(partition, 'another keeper took the lease')
    if (mine === undefined && holder === null && entry.revision > 0) this.#tryFree(partition)
  }

  /** Runs each second: takes free and stale leases, drops leases that could not be renewed, and gives up leases if others hold fewer. */
  #tend(): void {
    const { leaseRenewMs, balanceMs } = limits.keeper
    const now = this.#options.clock.monotonic()
    for (const [partition, held] of this.#held) {
      if (!this.mayCommit(partition)) this.#lose(partition, 'the lease could not be renewed in time')
      else if (now - held.renewedAt >= leaseRenewMs + balanceMs) void this.#renew(partition)
    }
    if (!this.#options.exclusive && this.#heard.sinceSignMs() >= balanceMs / 2)
      this.#leases.put(keys.leaseBeat, { by: this.#options.keeperId }).catch(() => 0)
    this.#peers.forgetGone()
    this.#giveToStored()
    this.#seek()
    this.#balance()
  }

  #seek(): void {
    for (const partition of everyPartition) this.#tryFree(partition)
  }

  #tryFree(partition: number): void {
    if (!this.#options.bus.connected()) return
    if (this.#stopped || this.#held.has(partition) || this.#acquiring.has(partition) || !this.#isFree(partition)) return
    if (this.#stored().length > 0) return
    void this.#acquire(partition)
  }

  #isFree(partition: number): boolean {
    const seen = this.#seen.get(partition)
    const now = this.#options.clock.monotonic()
    const givenUpAt = this.#releasedAt.get(partition)
    if (givenUpAt !== undefined && now - givenUpAt < limits.keeper.leaseRenewMs && this.#peers.count > 0) return false
    if (seen === undefined || this.#options.exclusive) return true
    const { successor, holder } = seen
    const { keeperId } = this.#options
    if (holder === null) return successor === null || successor === keeperId || now - seen.since >= limits.keeper.successorMs
    if (holder === keeperId) return true
    const heardMs = Math.min(this.#heard.now() - seen.heardAt, this.#heard.sinceGapMs())
    return now - seen.since >= limits.keeper.leaseStaleMs && heardMs >= limits.keeper.leaseReturnMs
  }

  async #acquire(partition: number): Promise<void> {
    this.#acquiring.add(partition)
    const startedAt = this.#options.clock.monotonic()
    const seen = this.#seen.get(partition)
    const found = accountFound(seen)
    const revision = await this.#leases
      .update(keys.lease(partition), { holder: this.#options.keeperId, ...found }, seen?.revision ?? 0)
      .catch(() => null)
    const entry = revision === null ? null : await this.#leases.get(keys.lease(partition)).catch(() => null)
    this.#acquiring.delete(partition)
    if (revision === null) return
    this.#held.set(partition, { revision, renewedAt: startedAt, found })
    // If the lease's entry could not be read, the time of the keeper's own clock is exact enough.
    const takenAt = entry?.revision === revision ? entry.at : this.#options.clock.now()
    if (this.#stopped) await this.release(partition)
    else this.#options.onAcquired(partition, precedentOf(found, takenAt))
  }

  #renewAll(): void {
    for (const partition of this.#held.keys()) void this.#renew(partition)
  }

  async #renew(partition: number): Promise<void> {
    const held = this.#held.get(partition)
    const { bus, clock, keeperId } = this.#options
    const startedAt = clock.monotonic()
    const isUnderWay = startedAt - (this.#renewing.get(partition) ?? Number.NEGATIVE_INFINITY) < limits.keeper.leaseRenewMs
    if (held === undefined || isUnderWay || !bus.connected()) return
    this.#renewing.set(partition, startedAt)
    try {
      const lease: Lease = { holder: keeperId, ...accountNow(this.#options.notesOf(partition), held.found) }
      const revision = await this.#leases.update(keys.lease(partition), lease, held.revision)
      if (this.#held.get(partition) !== held) return
      if (revision === null) return await this.#settleRenewal(partition, held, startedAt)
      this.#held.set(partition, { ...held, revision, renewedAt: startedAt })
    } catch {
      // The next attempt follows within a second. Without a connection, a missing response says nothing about the bus.
      if (bus.connected()) this.#unansweredAt = Math.max(this.#unansweredAt, startedAt)
    } finally {
      if (this.#renewing.get(partition) === startedAt) this.#renewing.delete(partition)
    }
  }

  /**
   * Reads the bucket after a refused renewal. If the response to an earlier renewal was lost, the bucket names this keeper as the holder.
   */
  async #settleRenewal(partition: number, held: Held, startedAt: number): Promise<void> {
    const entry = await this.#leases.get(keys.lease(partition))
    if (this.#held.get(partition) !== held) return
    const holder = (entry?.value as { holder?: string } | null)?.holder
    if (entry !== null && holder === this.#options.keeperId)
      this.#held.set(partition, { ...held, revision: entry.revision, renewedAt: startedAt })
    else this.#lose(partition, entry === null ? 'the bus has lost the lease' : 'another keeper took the lease')
  }

  #lose(partition: number, reason: string): void {
    if (this.#held.delete(partition)) this.#options.onLost(partition, reason)
  }

  /** Gives up partitions to live keepers that hold at least two fewer, once the set of keepers is stable. */
  #balance(): void {
    const [{ keeperId }, peers] = [this.#options, this.#peers.settled()]
    // Gives up nothing while the bucket accepts no writes, because no other keeper could take the partition.
    if (peers.length === 0 || this.#heard.sinceSignMs() > limits.keeper.leaseGapMs) return
    const kept = this.held().filter(partition => !this.#handingOver.has(partition))
    const successors = successorsOf(keeperId, holdingsOf([keeperId, ...peers], this.#seen.values()))
    // Other keepers do not see yet what is being handed over: they expect that it fills the first gaps of this keeper.
    for (const [place, successor] of successors.slice(this.#handingOver.size).entries())
      if (kept[place] !== undefined) void this.#giveUp(kept[place], successor)
  }

  async #giveUp(partition: number, successor: string): Promise<void> {
    this.#options.logger.debug({ partition, successor }, 'partition given up to a keeper that holds fewer')
    this.#handingOver.add(partition)
    try {
      await this.#options.handOver(partition)
      await this.release(partition, successor)
    } finally {
      this.#handingOver.delete(partition)
    }
  }

  /**
   * Gives all leases to keepers that have their store, if this keeper has lost its own. It finishes nothing and writes no checkpoint, because
   * it has no store: for the successor it is as if this keeper had died.
   */
  #giveToStored(): void {
    for (const [partition, taker] of sharedOut(this.held(), holdingsOf(this.#stored(), this.#seen.values()))) {
      void this.release(partition, taker)
      this.#options.onLost(partition, 'this keeper has lost the store, and another has not')
    }
  }

  /**
   * Returns the peers that have the store; none while this keeper has it too. If the store itself is away, all keepers lose it at about the
   * same instant, and there are none either.
   */
  #stored(): string[] {
    const { bus, clock, exclusive, storeSilentMs } = this.#options
    const silentMs = storeSilentMs()
    if (exclusive || silentMs <= limits.keeper.deafMs || !bus.connected()) return []
    return this.#peers.storedAfter(clock.monotonic() - silentMs + limits.keeper.storeApartMs)
  }

  async #beat(): Promise<void> {
    const { bus, keeperId } = this.#options
    const storeSilentMs = Math.round(this.#options.storeSilentMs())
    const presence = { held: this.#held.size, knows: latestNumber(migrations), storeSilentMs }
    const key = keys.keeperPresence(keeperId)
    await bus
      .bucket('presence')
      .put(key, presence)
      .catch(() => 0)
  }
}
