// Whether reports are taken at the moment, of each partition held and kind of report: the one place that knows what may be in their way (ADR 22).
// Owns what is known of silence, also while a partition is closed for a moment. Decides nothing about subjects.
import type { Cancel } from '#shared/clock.ts'
import type { ReportKind, SilenceNotes } from '#shared/contracts/silence.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import { deafFrom, fallDeaf, hearAgain } from './deafness.ts'
import { Gateways } from './gateways.ts'
import type { Partition } from './partition.ts'
import {
  deafen,
  type Hearing,
  hear,
  type Moment,
  momentOf,
  notesOf,
  type Precedent,
  reportKinds,
  type Silence,
  silenceAfter,
} from './silence.ts'
import { type OutageReason, SilenceLog } from './silence-log.ts'
import { type StreamListener, watchStream } from './stream-watch.ts'

const { deafMs, listenMs } = limits.keeper

interface Obstacle {
  reason: OutageReason
  /** Since when on the monotonic clock; null: since reports were taken last. */
  since: number | null
}

export class Listening implements StreamListener {
  readonly #core: Core
  readonly #gateways: Gateways
  readonly #log: SilenceLog
  /** By partition, of those whose leases are held. */
  readonly #silences = new Map<number, Silence>()
  readonly #reasons = new WeakMap<Hearing, OutageReason>()
  #partitions: () => readonly Partition[] = () => []
  #streamSilentSince: number | null = null
  /** The store answered a question that was asked then, on the monotonic clock. */
  #storedAt: number
  #isAsking = false
  /** When this process looked last, and when it went on after it had stood still, on the monotonic clock. */
  #lookedAt: number
  #resumedAt = Number.NEGATIVE_INFINITY
  /** When bus and store were missed last, on the monotonic clock. */
  readonly #missedAt = { bus: Number.NEGATIVE_INFINITY, store: Number.NEGATIVE_INFINITY }
  #cancel: Cancel = () => undefined
  #endings: (() => unknown)[] = []

  constructor(core: Core) {
    this.#core = core
    this.#gateways = new Gateways(core.clock)
    this.#log = new SilenceLog(core.logger)
    this.#storedAt = core.clock.monotonic()
    this.#lookedAt = this.#storedAt
  }

  /** Listens at regular intervals to `partitions`, and whenever a gateway says that it takes reports. Resolves once gateways are heard. */
  async start(partitions: () => readonly Partition[]): Promise<void> {
    const { bus, clock } = this.#core
    this.#partitions = partitions
    const again = () => {
      this.#cancel = clock.after(listenMs, again)
      this.#noteStandstill()
      this.#askStore()
      this.#listenToAll()
      this.#measure()
    }
    this.#cancel = clock.after(listenMs, again)
    const stream = watchStream(this.#core, this)
    const gateways = await this.#gateways.watch(bus, () => this.#listenToAll())
    const forgetConnection = bus.onConnection(connected => {
      if (!connected) this.#missedAt.bus = clock.monotonic()
    })
    this.#endings = [stream.stop, forgetConnection, () => gateways.close().catch(() => undefined)]
  }

  async stop(): Promise<void> {
    this.#cancel()
    await Promise.all(this.#endings.map(end => end()))
  }

  /** The lease of a partition was just taken; `precedent`: what it says of the time before, null: nothing. */
  acquired(number: number, precedent: Precedent | null): void {
    this.#silences.set(number, silenceAfter(precedent, momentOf(this.#core.clock)))
  }

  /** Another keeper has the lease, or may take it. */
  lost(number: number): void {
    this.#silences.delete(number)
  }

  silenceOf(number: number): Silence | undefined {
    return this.#silences.get(number)
  }

  /** The account of this partition for a successor; null: not known yet, or the partition is none of this keeper's. */
  notesOf(number: number): SilenceNotes | null {
    const silence = this.#silences.get(number)
    return silence === undefined ? null : notesOf(silence, momentOf(this.#core.clock))
  }

  /** A partition that was just opened, also anew, meets what is in the way of all. */
  opened(partition: Partition): void {
    if (this.#streamSilentSince !== null) fallDeaf(partition, 'stream', this.#streamSilentSince)
  }

  /** Nobody can publish to the stream. */
  onStreamSilent(forMs: number): void {
    this.#streamSilentSince = this.#core.clock.now() - forMs
    for (const partition of this.#partitions()) fallDeaf(partition, 'stream', this.#streamSilentSince)
  }

  onStreamAnswer(): void {
    this.#streamSilentSince = null
    for (const partition of this.#partitions()) hearAgain(partition, 'stream', this.#core.clock.now())
    this.#core.wake()
  }

  /** As `listen`, where something may have changed since the last time. */
  listenAgain(partition: Partition, at: Moment): void {
    const { checks, pushed } = partition.silence
    if (!isFresh(checks, at) || !isFresh(pushed, at)) this.#listen(partition, at)
  }

  #listenToAll(): void {
    const at = momentOf(this.#core.clock)
    for (const partition of this.#partitions()) this.#listen(partition, at)
  }

  /** Notes for a partition what is taken at this moment. */
  #listen(partition: Partition, at: Moment): void {
    const obstacle = this.#obstacleOf(partition, at)
    for (const kind of reportKinds) this.#listenTo(partition, kind, obstacle ?? this.#obstacleOfKind(partition, kind, at), at)
  }

  #listenTo({ number, silence }: Partition, kind: ReportKind, obstacle: Obstacle | null, at: Moment): void {
    const hearing = silence[kind]
    if (obstacle !== null) {
      if (!this.#reasons.has(hearing)) this.#reasons.set(hearing, obstacle.reason)
      if (obstacle.since !== null) deafen(hearing, obstacle.since)
      return
    }
    const before = { heldAt: hearing.heldAt, isOpening: hearing.isOpening }
    const offMs = hear(hearing, at)
    const reason = this.#reasons.get(hearing) ?? 'keeper'
    this.#reasons.delete(hearing)
    if (offMs > 0) {
      const outage = { partition: number, reports: kind, offMs, waitMs: hearing.leftMs }
      this.#log.say({ reason: reason === 'keeper' ? this.#whyOff(at.monotonic - offMs) : reason, ...outage }, at)
    }
    if (offMs > 0 || before.isOpening || before.heldAt !== hearing.heldAt) this.#core.wake()
  }

  /** A keeper that was cut off loses partitions, and takes them again as if from another keeper. */
  #whyOff(since: number): OutageReason {
    if (this.#missedAt.bus >= since) return 'bus'
    return this.#missedAt.store >= since ? 'store' : 'keeper'
  }

  /** The obstacles to all reports to a partition. */
  #obstacleOf({ number, state, round, roundSince }: Partition, at: Moment): Obstacle | null {
    if (!this.#core.bus.connected()) return { reason: 'bus', since: null }
    if (state !== 'live' || !this.#core.mayCommit(number)) return { reason: 'keeper', since: null }
    if (this.#isOverdue(this.#storedAt, at.monotonic)) return { reason: 'store', since: this.#storedAt }
    // It waits for the store, or for the bus that its documents go to.
    if (round !== null && this.#isOverdue(roundSince, at.monotonic)) return { reason: 'store', since: roundSince }
    return null
  }

  #obstacleOfKind(partition: Partition, kind: ReportKind, at: Moment): Obstacle | null {
    if (kind === 'checks') {
      if (partition.feed === null) return { reason: 'bus', since: null }
      const from = deafFrom(partition)
      return from === null ? null : { reason: 'bus', since: at.monotonic - (at.now - from) }
    }
    if (partition.commandSubscription === null) return { reason: 'keeper', since: null }
    const { heardAt } = this.#gateways
    return heardAt === null || at.monotonic - heardAt > deafMs ? { reason: 'gateways', since: heardAt } : null
  }

  #noteStandstill(): void {
    const now = this.#core.clock.monotonic()
    if (now - this.#lookedAt > deafMs) this.#resumedAt = now
    this.#lookedAt = now
  }

  /** Whether what began at `since` takes too long; while this process stood still nothing could end. */
  #isOverdue(since: number, now: number): boolean {
    return now - Math.max(since, this.#resumedAt) > deafMs
  }

  /** An answer proves that the store was there when it was asked. */
  #askStore(): void {
    const askedAt = this.#core.clock.monotonic()
    if (this.#isOverdue(this.#storedAt, askedAt)) this.#missedAt.store = askedAt
    if (this.#isAsking) return
    this.#isAsking = true
    this.#core.store
      .ping()
      .then(() => {
        this.#storedAt = askedAt
      })
      .catch(() => undefined)
      .finally(() => {
        this.#isAsking = false
      })
  }

  #measure(): void {
    for (const kind of reportKinds) {
      const longestMs = this.#partitions().reduce((longest, { silence }) => Math.max(longest, silence[kind].leftMs), 0)
      this.#core.metrics.silenceHeld.set({ reports: kind }, longestMs / 1_000)
    }
  }
}

const isFresh = ({ heardAt, heldAt }: Hearing, at: Moment): boolean =>
  heldAt === null && at.monotonic - heardAt.monotonic < listenMs
