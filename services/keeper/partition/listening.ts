// Watch that records whether the system accepts reports, for each held partition and each kind of report (ADR 22). Owns the state of
// silence, even while a partition is closed for a moment. Decides nothing about subjects.

import { repeat } from '#shared/async/repeat.ts'
import type { ReportKind, SilenceNotes } from '#shared/contracts/observations/silence.ts'
import { limits } from '#shared/limits/limits.ts'
import type { KeeperContext } from '../context.ts'
import { deafFrom, fallDeaf, hearAgain } from './deafness.ts'
import { Gateways } from './gateways.ts'
import { isHeldLonger } from './missed-outages.ts'
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
  /** Start of the obstacle on the monotonic clock; null: the obstacle began when reports were last accepted. */
  since: number | null
}

export class Listening implements StreamListener {
  readonly #context: KeeperContext
  readonly #gateways: Gateways
  readonly #log: SilenceLog
  /** Silence of each partition whose lease is held, by partition number. */
  readonly #silences = new Map<number, Silence>()
  readonly #reasons = new WeakMap<Hearing, OutageReason>()
  #partitions: () => readonly Partition[] = () => []
  #streamSilentSince: number | null = null
  /** Start of the newest request to which the store responded, on the monotonic clock. */
  #storedAt: number
  #isAsking = false
  /**
   * Instant of the last check of the partitions, on the monotonic clock. `#resumedAt`: end of the last pause of this process, on the same
   * clock.
   */
  #lookedAt: number
  #resumedAt = Number.NEGATIVE_INFINITY
  /** Instants at which bus and store last failed to respond, on the monotonic clock. */
  readonly #missedAt = { bus: Number.NEGATIVE_INFINITY, store: Number.NEGATIVE_INFINITY }
  #endings: (() => unknown)[] = []

  constructor(context: KeeperContext) {
    this.#context = context
    this.#gateways = new Gateways(context.clock)
    this.#log = new SilenceLog(context.logger)
    this.#storedAt = context.clock.monotonic()
    this.#lookedAt = this.#storedAt
  }

  /**
   * Checks `partitions` at regular intervals, and whenever a gateway reports that it accepts reports. Resolves once the presence of
   * gateways is watched.
   */
  async start(partitions: () => readonly Partition[]): Promise<void> {
    const { bus, clock } = this.#context
    this.#partitions = partitions
    const listening = repeat({ clock, everyMs: listenMs }, () => {
      this.#noteStandstill()
      this.#askStore()
      this.#listenToAll()
      this.#measure()
    })
    const stream = watchStream(this.#context, this)
    const gateways = await this.#gateways.watch(bus, () => this.#listenToAll())
    const forgetConnection = bus.onConnection(connected => {
      if (!connected) this.#missedAt.bus = clock.monotonic()
    })
    this.#endings = [listening.stop, stream.stop, forgetConnection, () => gateways.close().catch(() => undefined)]
  }

  async stop(): Promise<void> {
    await Promise.all(this.#endings.map(end => end()))
  }

  /** Called when the lease of a partition was taken. `precedent`: the state of silence before that; null: the lease has no notes. */
  acquired(number: number, precedent: Precedent | null): void {
    this.#silences.set(number, silenceAfter(precedent, momentOf(this.#context.clock), this.#context.isAlone))
  }

  /** Called when another keeper has the lease or can take it. */
  lost(number: number): void {
    this.#silences.delete(number)
  }

  /** Returns the time since the store last responded, without a pause of this process, ms. */
  storeSilentMs(): number {
    return this.#context.clock.monotonic() - Math.max(this.#storedAt, this.#resumedAt)
  }

  silenceOf(number: number): Silence | undefined {
    return this.#silences.get(number)
  }

  /** Returns the notes on this partition's silence for a successor; null: not known yet, or this keeper does not hold the partition. */
  notesOf(number: number): SilenceNotes | null {
    const silence = this.#silences.get(number)
    return silence === undefined ? null : notesOf(silence, momentOf(this.#context.clock))
  }

  /** Called when a partition was opened or reopened. Adds the obstacles that all partitions share. */
  opened(partition: Partition): void {
    if (this.#streamSilentSince !== null) fallDeaf(partition.deafness, 'stream', this.#streamSilentSince)
  }

  /** Called when no sender can publish to the stream. */
  onStreamSilent(forMs: number): void {
    this.#streamSilentSince = this.#context.clock.now() - forMs
    for (const partition of this.#partitions()) fallDeaf(partition.deafness, 'stream', this.#streamSilentSince)
  }

  onStreamAnswer(): void {
    this.#streamSilentSince = null
    for (const partition of this.#partitions()) hearAgain(partition.deafness, 'stream', this.#context.clock.now())
    this.#context.wake()
  }

  /** Records again which kinds of reports are accepted, unless the last record is recent and no silence is held back. */
  listenAgain(partition: Partition, at: Moment): void {
    const { checks, pushed } = partition.silence
    if (!isFresh(checks, at) || !isFresh(pushed, at)) this.#listen(partition, at)
  }

  #listenToAll(): void {
    const at = momentOf(this.#context.clock)
    for (const partition of this.#partitions()) this.#listen(partition, at)
  }

  /** Records which kinds of reports to a partition the system accepts at this moment. */
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
    const before = { heldAt: hearing.heldAt, isOpening: hearing.isOpening, isHeldLonger: isHeldLonger(hearing.missed) }
    const offMs = hear(hearing, at)
    const reason = this.#reasons.get(hearing) ?? 'keeper'
    this.#reasons.delete(hearing)
    if (offMs > 0) {
      const outage = { partition: number, reports: kind, offMs, waitMs: hearing.leftMs }
      this.#log.say({ reason: reason === 'keeper' ? this.#whyOff(at.monotonic - offMs) : reason, ...outage }, at)
    }
    const isReleased = before.heldAt !== hearing.heldAt || before.isHeldLonger !== isHeldLonger(hearing.missed)
    if (offMs > 0 || before.isOpening || isReleased) this.#context.wake()
  }

  /** Returns the reason why this keeper did not accept reports: it may have been cut off from the bus or the store. */
  #whyOff(since: number): OutageReason {
    if (this.#missedAt.bus >= since) return 'bus'
    return this.#missedAt.store >= since ? 'store' : 'keeper'
  }

  /** Returns the obstacle to all reports to a partition; null: none. */
  #obstacleOf({ number, state, round, roundSince }: Partition, at: Moment): Obstacle | null {
    if (!this.#context.hasSenders) return { reason: 'keeper', since: null }
    if (!this.#context.bus.connected()) return { reason: 'bus', since: null }
    if (state !== 'live' || !this.#context.mayCommit(number)) return { reason: 'keeper', since: null }
    if (this.#isOverdue(this.#storedAt, at.monotonic)) return { reason: 'store', since: this.#storedAt }
    // An overdue round waits for the store, or for a write to the bus.
    if (round !== null && this.#isOverdue(roundSince, at.monotonic)) return { reason: 'store', since: roundSince }
    return null
  }

  #obstacleOfKind(partition: Partition, kind: ReportKind, at: Moment): Obstacle | null {
    if (kind === 'checks') {
      if (partition.inbox.feed === null) return { reason: 'bus', since: null }
      const from = deafFrom(partition.deafness)
      return from === null ? null : { reason: 'bus', since: at.monotonic - (at.now - from) }
    }
    if (partition.inbox.commandSubscription === null) return { reason: 'keeper', since: null }
    const { heardAt } = this.#gateways
    return heardAt === null || at.monotonic - heardAt > deafMs ? { reason: 'gateways', since: heardAt } : null
  }

  #noteStandstill(): void {
    const now = this.#context.clock.monotonic()
    if (now - this.#lookedAt > deafMs) this.#resumedAt = now
    this.#lookedAt = now
  }

  /** Returns whether work that began at `since` takes too long. Time in which this process was paused does not count. */
  #isOverdue(since: number, now: number): boolean {
    return now - Math.max(since, this.#resumedAt) > deafMs
  }

  /** Sends a request to the store. A response shows that the store was available when the request was sent. */
  #askStore(): void {
    const askedAt = this.#context.clock.monotonic()
    if (this.#isOverdue(this.#storedAt, askedAt)) this.#missedAt.store = askedAt
    if (this.#isAsking) return
    this.#isAsking = true
    this.#context.store
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
      this.#context.metrics.silenceHeld.set({ reports: kind }, longestMs / 1_000)
    }
  }
}

const isFresh = ({ heardAt, heldAt, missed }: Hearing, at: Moment): boolean =>
  heldAt === null && !isHeldLonger(missed) && at.monotonic - heardAt.monotonic < listenMs
