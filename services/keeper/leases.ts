// Who should try to work on which partition: leases in a bucket, renewed by compare-and-set (design section 3, Placement).
// A lease only says who should try; correctness rests on the subjects' revisions alone.
import type { BucketEntry, Bus, Subscription } from '#shared/bus/port.ts'
import { keys, parseLease } from '#shared/bus/subjects.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { SilenceNotes } from '#shared/contracts/silence.ts'
import { HeardTime } from '#shared/heard-time.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import { type Account, accountFound, accountNow, type Lease, precedentOf } from './lease-account.ts'
import { Peers } from './peers.ts'
import type { Precedent } from './silence.ts'

export interface LeaseOptions {
  bus: Bus
  clock: Clock
  logger: Logger
  keeperId: string
  /** Nobody else can be alive (embedded mode, the data folder is locked): take every lease at once. */
  exclusive: boolean
  /** Called once, before the first lease is taken, with the question whether a partition may be committed to. */
  mayStart(mayCommit: (partition: number) => boolean): void
  /** Begins the take-over of a partition; `precedent`: what the lease says of the time before, null: nothing. */
  onAcquired(partition: number, precedent: Precedent | null): void
  /** The account of this partition for a successor, kept in its lease; null: this keeper does not know it yet. */
  notesOf(partition: number): SilenceNotes | null
  /** Finishes what runs on the partition and writes its checkpoint; afterwards the lease is given back. */
  handOver(partition: number): Promise<void>
  /** The partition must not be worked on any more. */
  onLost(partition: number, reason: string): void
}

export interface Leases {
  /** Partitions held, and young enough to commit at this very moment. */
  mayCommit(partition: number): boolean
  held(): number[]
  /** Gives one partition back, so that a rival takes it at once. */
  release(partition: number): Promise<void>
  /** Gives everything back and stops. */
  stop(): Promise<void>
}

interface Held {
  revision: number
  renewedAt: number
  /** As this keeper found it. */
  found: Account
}

interface Seen {
  revision: number
  holder: string | null
  /** Given up to this keeper: others leave it a moment to take it. */
  heir: string | null
  /** On this process's monotonic clock, and in the time in which the bucket was seen to change. */
  since: number
  heardAt: number
  account: Account
  /** On the bus's clock, ms. */
  at: number
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
  /** Renewals under way, and when each began. */
  readonly #renewing = new Map<number, number>()
  readonly #heard: HeardTime
  /** When the newest renewal began that nobody answered although the bus was connected. */
  #unansweredAt = Number.NEGATIVE_INFINITY
  #stopListening = () => {}
  #subscriptions: Subscription[] = []
  #timers: Cancel[] = []
  #stopped = false

  constructor(options: LeaseOptions) {
    this.#options = options
    const monotonic = () => options.clock.monotonic()
    this.#peers = new Peers(options.keeperId, monotonic)
    this.#heard = new HeardTime(monotonic, limits.keeper.leaseGapMs)
  }

  async start(): Promise<void> {
    const { bus, keeperId } = this.#options
    this.#options.mayStart(partition => this.mayCommit(partition))
    const leases = await bus.bucket('leases').watch('>', { onEntry: entry => this.#see(entry), onReady: () => this.#seek() })
    const peers = await bus.bucket('presence').watch(keys.allKeepers, { onEntry: entry => this.#peers.meet(entry) })
    this.#subscriptions = [leases, peers]
    // Whoever was cut off renews at once: it has lost time already.
    this.#stopListening = bus.onConnection(connected => connected && this.#renewAll())
    this.#repeat(limits.keeper.leaseRenewMs, () => this.#renewAll())
    this.#repeat(limits.keeper.balanceMs, () => this.#tend())
    this.#repeat(limits.presence.beatMs, () => this.#beat())
    await bus
      .bucket('presence')
      .put(keys.keeperPresence(keeperId), { held: 0 })
      .catch(() => 0)
  }

  mayCommit(partition: number): boolean {
    const held = this.#held.get(partition)
    if (held === undefined) return false
    const { leaseGiveUpMs, leaseUnansweredMs } = limits.keeper
    const now = this.#options.clock.monotonic()
    if (now - held.renewedAt < leaseGiveUpMs) return true
    // Where nobody answers, nobody can take it either: no rival's time runs (ADR 24).
    const isExcused = this.#options.bus.connected() && now - this.#unansweredAt < leaseGiveUpMs
    return isExcused && now - held.renewedAt < leaseUnansweredMs
  }

  held(): number[] {
    return [...this.#held.keys()]
  }

  async release(partition: number, heir: string | null = null): Promise<void> {
    const held = this.#held.get(partition)
    if (held === undefined) return
    this.#held.delete(partition)
    this.#releasedAt.set(partition, this.#options.clock.monotonic())
    const free = { holder: null, ...(heir !== null && { heir }), ...accountNow(this.#options.notesOf(partition), held.found) }
    await this.#leases.update(keys.lease(partition), free, held.revision).catch(() => null)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening()
    for (const cancel of this.#timers) cancel()
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
    const slot = this.#timers.length
    const again = () => {
      if (this.#stopped) return
      run()
      this.#timers[slot] = this.#options.clock.after(everyMs, again)
    }
    this.#timers[slot] = this.#options.clock.after(everyMs, again)
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
    const { holder = null, heir = null, ...account } = (entry.value ?? {}) as Lease
    const since = this.#options.clock.monotonic()
    const { revision, at } = entry
    this.#seen.set(partition, { revision, holder, heir, account, since, heardAt: this.#heard.now(), at })
    const mine = this.#held.get(partition)
    if (mine !== undefined && entry.revision > mine.revision && holder !== this.#options.keeperId)
      this.#lose(partition, 'another keeper took the lease')
    if (mine === undefined && holder === null && entry.revision > 0) this.#tryFree(partition)
  }

  /** Each second: take what is free or stale, drop what could not be renewed, give one up where another holds far fewer. */
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
    this.#seek()
    this.#balance()
  }

  #seek(): void {
    for (const partition of everyPartition) this.#tryFree(partition)
  }

  #tryFree(partition: number): void {
    if (this.#stopped || this.#held.has(partition) || this.#acquiring.has(partition) || !this.#isFree(partition)) return
    void this.#acquire(partition)
  }

  #isFree(partition: number): boolean {
    const seen = this.#seen.get(partition)
    const now = this.#options.clock.monotonic()
    const givenUpAt = this.#releasedAt.get(partition)
    if (givenUpAt !== undefined && now - givenUpAt < limits.keeper.leaseRenewMs && this.#peers.count > 0) return false
    if (seen === undefined || this.#options.exclusive) return true
    const { heir, holder } = seen
    const { keeperId } = this.#options
    if (holder === null) return heir === null || heir === keeperId || now - seen.since >= limits.keeper.heirMs
    return holder === keeperId || this.#heard.now() - seen.heardAt >= limits.keeper.leaseStaleMs
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
    // The keeper's own clock is nearly the bus's.
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
      // Tried again within a second. A keeper that was cut off meanwhile can't know whether anybody would have answered.
      if (bus.connected()) this.#unansweredAt = Math.max(this.#unansweredAt, startedAt)
    } finally {
      if (this.#renewing.get(partition) === startedAt) this.#renewing.delete(partition)
    }
  }

  /** A refused renewal may be this keeper's own earlier one whose answer was lost: the bucket says whose it is. */
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

  /** One partition a second to a live keeper that holds at least two fewer, once presence is stable. */
  #balance(): void {
    const heir = this.#peers.neediest()
    // What is given up while the bucket takes nothing would be nobody's.
    if (heir === null || this.#heard.sinceSignMs() > limits.keeper.leaseGapMs) return
    const kept = this.held().filter(partition => !this.#handingOver.has(partition))
    const partition = kept[0]
    if (partition === undefined || kept.length - heir.held < 2) return
    this.#options.logger.debug({ partition, held: kept.length, heir }, 'partition given up to a keeper that holds fewer')
    this.#handingOver.add(partition)
    void this.#options
      .handOver(partition)
      .then(() => this.release(partition, heir.keeperId))
      .finally(() => this.#handingOver.delete(partition))
  }

  #beat(): void {
    const { bus, keeperId } = this.#options
    bus
      .bucket('presence')
      .put(keys.keeperPresence(keeperId), { held: this.#held.size })
      .catch(() => 0)
  }
}
