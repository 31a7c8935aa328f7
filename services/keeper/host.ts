// Hosts the partitions that this keeper holds: opens and closes them, runs rounds over those with work, sleeps until the next
// deadline. A partition is in one round at a time; what arrives for it meanwhile waits for the next. Rounds of others run beside it.

import { subjects } from '#shared/bus/subjects.ts'
import type { Cancel } from '#shared/clock.ts'
import type { Pending, PendingCheck } from '#shared/contracts/subject.ts'
import { partitionOf } from '#shared/hash.ts'
import { limits } from '#shared/limits.ts'
import { takeCommand } from './command-intake.ts'
import type { Core } from './core.ts'
import { gatherTakes } from './gather.ts'
import type { Listening } from './listening.ts'
import { hasUrgentWork, isMoved, nextWorkAt, openPartition, type Partition } from './partition.ts'
import { clearDone } from './publish.ts'
import { NoLongerOurs } from './retry.ts'
import { runRound, type Take } from './round.ts'
import { momentOf, reopenSilence } from './silence.ts'
import { takeOver } from './take-over.ts'
import { Turns } from './turns.ts'

export class Host {
  readonly #core: Core
  readonly #partitions = new Map<number, Partition>()
  /** Closed for a moment, to be opened anew while their leases are held. */
  readonly #abandoned = new Set<number>()
  readonly #listening: Listening
  readonly #turns = new Turns(limits.keeper.takeOversAtOnce)
  readonly #running = new Set<Promise<void>>()
  /** A round is about to begin. */
  #isWoken = false
  /** Something waits for a round to end. */
  #isWanted = false
  #cancelTimer: Cancel | null = null
  #gathering: Cancel | null = null
  #rounds = 0
  #stopped = false

  constructor(core: Core, listening: Listening) {
    this.#core = core
    this.#listening = listening
  }

  readonly #isInRound = (subjectId: string) => (this.#partitions.get(partitionOf(subjectId))?.round ?? null) !== null

  partitions(): Partition[] {
    return [...this.#partitions.values()]
  }

  hosts(number: number): boolean {
    return this.#partitions.has(number)
  }

  /** Begins the take-over of a partition whose lease was just taken. */
  open(number: number): void {
    const partition = openPartition(number, this.#core.clock, this.#listening.silenceOf(number))
    this.#listening.opened(partition)
    this.#abandoned.delete(number)
    this.#partitions.set(number, partition)
    this.#core.metrics.partitions.set(this.#partitions.size)
    this.#takeOver(partition).catch(error => this.#abandon(partition, error))
  }

  /** A round that still runs may be committing subjects of this very partition: what is read before its end may be old. */
  async #takeOver(partition: Partition): Promise<void> {
    await this.#turns.run(async () => {
      await Promise.all(this.#running)
      this.#core.cache.dropPartition(partition.number)
      await takeOver(this.#core, partition, reason => this.#reopen(partition, reason))
    })
  }

  /** Stops all work on a partition at once and forgets what is in memory of it. */
  close(number: number, reason: string): void {
    this.#abandoned.delete(number)
    const partition = this.#partitions.get(number)
    if (partition === undefined) return
    partition.state = 'closed'
    this.#partitions.delete(number)
    this.#core.metrics.partitions.set(this.#partitions.size)
    this.#core.cache.dropPartition(number)
    partition.results.length = 0
    partition.commands.length = 0
    const closing = [partition.feed?.close(), partition.commandSubscription?.close()]
    for (const closed of closing) closed?.catch(() => undefined)
    this.#core.logger.debug({ partition: number, reason }, 'partition closed')
  }

  /** Takes no more inputs of a partition, finishes what is taken, clears what is written, writes its freshness and checkpoint, and closes it. */
  async handOver(number: number): Promise<void> {
    const partition = this.#partitions.get(number)
    if (partition === undefined) return this.close(number, 'handed over')
    await Promise.all(
      [partition.feed?.close(), partition.commandSubscription?.close()].map(closing => closing?.catch(() => undefined)),
    )
    partition.feed = null
    partition.commandSubscription = null
    // What a round has taken waits in no queue any more: it is finished first.
    await partition.round
    for (let rounds = 0; rounds < limits.keeper.handOverRounds && partition.state === 'live' && !isSettled(partition); rounds++) {
      partition.checkpointDueAt = 0
      const takes = gatherTakes(this.#core, [partition], this.#core.clock.now(), this.#isInRound)
      await (takes.length > 0 ? this.#begin(takes) : partition.round)
    }
    this.close(number, 'handed over')
  }

  /** Everything that hung on a deleted subject is gone: only its tombstone is left. Or: all that a deleted signal reported. */
  removed(subjectId: string, signalKey: string | null): void {
    this.#settle(subjectId, pending =>
      signalKey === null ? pending.mode !== 'check' : pending.mode === 'remove-signal' && pending.signalKey === signalKey,
    )
    if (signalKey === null) this.#partitions.get(partitionOf(subjectId))?.childless.add(subjectId)
  }

  /** The bucket of checks has this entry, or a newer one. */
  checkWritten(subjectId: string, { locationId, rev }: PendingCheck): void {
    this.#settle(subjectId, pending => pending.mode === 'check' && pending.locationId === locationId && pending.rev <= rev)
  }

  #settle(subjectId: string, isSettled: (pending: Pending) => boolean): void {
    const partition = this.#partitions.get(partitionOf(subjectId))
    if (partition === undefined) return
    clearDone(this.#core, partition, subjectId, isSettled)
    this.wake()
  }

  wake(): void {
    if (this.#running.size >= limits.keeper.roundsAtOnce) {
      this.#isWanted = true
      return
    }
    if (this.#isWoken) return
    this.#isWoken = true
    this.#cancelTimer?.()
    this.#cancelTimer = null
    // Whatever else comes in this turn joins the round.
    void Promise.resolve().then(() => {
      this.#isWoken = false
      this.#isWanted = false
      const takes = this.#gather()
      if (takes.length > 0) void this.#begin(takes)
      this.#goOn()
    })
  }

  /** A round within a moment, for what can wait for others to join it. */
  wakeSoon(): void {
    this.#gathering ??= this.#core.clock.after(limits.keeper.gatherMs, () => {
      this.#gathering = null
      this.wake()
    })
  }

  /** Hands over everything it holds. */
  async stop(): Promise<void> {
    await Promise.all([...this.#partitions.keys()].map(number => this.handOver(number)))
    this.#stopped = true
    this.#cancelTimer?.()
    this.#gathering?.()
    await Promise.all(this.#running)
  }

  /** Runs a round; its partitions are in no other until it ends. */
  #begin(takes: Take[]): Promise<void> {
    const round = this.#round(takes).finally(() => {
      this.#running.delete(round)
      for (const { partition } of takes) partition.round = null
      this.#goOn()
    })
    this.#running.add(round)
    for (const { partition } of takes) Object.assign(partition, { round, roundSince: this.#core.clock.monotonic() })
    return round
  }

  /** After a round has begun or ended; what waits while all run is looked at when one ends. */
  #goOn(): void {
    if (this.#running.size >= limits.keeper.roundsAtOnce) return
    if (this.#isWanted || this.#hasMore()) this.wake()
    else this.#sleep()
  }

  #hasMore(): boolean {
    const now = this.#core.clock.now()
    const connected = this.#core.bus.connected()
    return (
      !this.#stopped &&
      this.partitions().some(
        partition =>
          partition.round === null && hasUrgentWork(partition, now, connected) && this.#core.mayCommit(partition.number),
      )
    )
  }

  #gather(): Take[] {
    const at = momentOf(this.#core.clock)
    for (const partition of this.#partitions.values()) {
      this.#goLive(partition)
      this.#listening.listenAgain(partition, at)
    }
    return gatherTakes(this.#core, this.partitions(), at.now, this.#isInRound)
  }

  async #round(takes: Take[]): Promise<void> {
    this.#core.metrics.roundInputs.observe(takes.reduce((sum, take) => sum + take.inputs.length, 0))
    try {
      const lapsed = await runRound(this.#core, takes, `${this.#core.keeperId}.${this.#rounds++}`)
      for (const partition of lapsed) this.#abandon(partition, new NoLongerOurs('the lease was too old to commit'))
      for (const { partition } of takes) this.#goLive(partition)
    } catch (error) {
      if (!(error instanceof NoLongerOurs)) this.#core.logger.error({ err: error }, 'round could not be finished')
      for (const { partition } of takes) this.#abandon(partition, error)
    }
    this.#core.metrics.subjectsCached.set(this.#core.cache.size)
  }

  /** What is in memory of the partition can't be trusted: it is closed and, while the lease is held, opened anew. */
  #abandon(partition: Partition, error: unknown): void {
    if (this.#partitions.get(partition.number) !== partition) return
    if (!(error instanceof NoLongerOurs))
      this.#core.logger.warn({ err: error, partition: partition.number }, 'partition opened anew')
    this.close(partition.number, 'abandoned')
    reopenSilence(partition.silence)
    this.#abandoned.add(partition.number)
    this.#openAgain(partition.number)
  }

  /** A lease that is too old at this moment may still be renewed: asked again until it is, or is lost. */
  #openAgain(number: number): void {
    this.#core.clock.after(limits.keeper.retryMs, () => {
      if (this.#stopped || !this.#abandoned.has(number)) return
      if (this.#core.mayCommit(number)) this.open(number)
      else this.#openAgain(number)
    })
  }

  /** The feed broke or the bus is back: the stream is verified and read again from what is committed. */
  #reopen(partition: Partition, reason: string): void {
    if (partition.state === 'closed' || partition.state === 'opening') return
    this.#core.logger.debug({ partition: partition.number, reason }, 'reading the stream anew')
    this.#abandon(partition, new NoLongerOurs(reason))
  }

  #goLive(partition: Partition): void {
    if (partition.state !== 'catching-up' || partition.sequence < partition.catchUpTo) return
    partition.state = 'live'
    this.#core.becameLive()
    this.#core.bus
      .subscribe(subjects.commandsOfPartition(partition.number), message => takeCommand(this.#core, partition, message))
      .then(subscription => {
        partition.commandSubscription = subscription
        if (partition.state === 'closed') return subscription.close()
        this.wake()
      })
      .catch(error => this.#abandon(partition, error))
    this.wake()
  }

  /** Until the next deadline. Who is in a round is looked at when it ends. */
  #sleep(): void {
    if (this.#stopped || this.#isWoken) return
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const waiting = this.partitions().filter(partition => partition.round === null)
    // What a round had no room for and nobody waits for.
    if (waiting.some(partition => partition.results.length > 0)) this.wakeSoon()
    const connected = this.#core.bus.connected()
    const at = momentOf(this.#core.clock)
    let next: number | null = null
    for (const partition of waiting) {
      const workAt = nextWorkAt(partition, connected, at)
      if (workAt !== null && (next === null || workAt < next)) next = workAt
    }
    if (next === null) return
    const delayMs = next - at.now
    this.#cancelTimer = this.#core.clock.after(delayMs > 0 ? delayMs : limits.keeper.overdueMs, () => this.wake())
  }
}

const isSettled = (partition: Partition) =>
  partition.results.length === 0 && partition.commands.length === 0 && partition.uncleared.size === 0 && !isMoved(partition)
