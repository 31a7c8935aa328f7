// Host of the partitions that this keeper holds: opens, hands over, closes and reopens them. `rounds.ts` runs the rounds of partitions.
import { Semaphore } from '#shared/async/semaphore.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { OutboxCheck, OutboxEntry } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { type KeeperContext, NoLongerOurs } from '../context.ts'
import { takeCommand } from '../round/command-intake.ts'
import { clearDone } from '../round/publish.ts'
import type { CheckListing } from './check-listing.ts'
import { closeInbox, stopInbox } from './inbox.ts'
import type { Listening } from './listening.ts'
import { isSettled, openPartition, type Partition } from './partition.ts'
import { reconcileChecks } from './reconcile-checks.ts'
import { type RoundHost, Rounds } from './rounds.ts'
import { type Moment, reopenSilence } from './silence.ts'
import { takeOver } from './take-over.ts'
import { createTakeOverReads, type TakeOverReads } from './take-over-reads.ts'
import { stepWaiting } from './waiting-checks.ts'

export class Host implements RoundHost {
  readonly #context: KeeperContext
  readonly #partitions = new Map<number, Partition>()
  /** Partitions that are closed for a moment, and reopened if their leases are still held. */
  readonly #abandoned = new Set<number>()
  /** The last round of each partition that was closed; null: it was in none. */
  readonly #endings = new Map<number, Promise<void> | null>()
  readonly #listening: Listening
  readonly #checks: CheckListing
  readonly #reads: TakeOverReads
  readonly #agreeing = new Semaphore(limits.keeper.checksAgreedAtOnce)
  readonly #rounds: Rounds
  readonly #forgetLevel: () => void
  #stopped = false

  constructor(context: KeeperContext, listening: Listening, checks: CheckListing) {
    this.#context = context
    this.#checks = checks
    this.#reads = createTakeOverReads(context)
    this.#listening = listening
    this.#rounds = new Rounds(context, this)
    this.#forgetLevel = context.level.onRaise(() => this.#writeChecksAnew())
  }

  partitions(): Partition[] {
    return [...this.#partitions.values()]
  }

  partition(number: number): Partition | undefined {
    return this.#partitions.get(number)
  }

  hosts(number: number): boolean {
    return this.#partitions.has(number)
  }

  wake(): void {
    this.#rounds.wake()
  }

  wakeSoon(): void {
    this.#rounds.wakeSoon()
  }

  /** Begins the take-over of a partition whose lease was just taken. */
  open(number: number): void {
    const partition = openPartition(number, this.#context.clock, this.#listening.silenceOf(number))
    this.#listening.opened(partition)
    this.#abandoned.delete(number)
    this.#partitions.set(number, partition)
    this.#context.metrics.partitions.set(this.#partitions.size)
    this.#checks.want(number)
    this.#takeOver(partition).catch(error => this.abandon(partition, error))
  }

  /** Prepares the partition. First waits for the round that it was in when it was closed, which may still commit its subjects. */
  async #takeOver(partition: Partition): Promise<void> {
    const ending = this.#endings.get(partition.number)
    // A partition that was never open here has no subjects in memory: a search among those of all others would slow each start down.
    if (ending !== undefined) {
      await ending
      this.#context.cache.dropPartition(partition.number)
    }
    const means = { reads: this.#reads, checks: this.#checks, atOnce: this.#agreeing }
    await takeOver(this.#context, partition, means, reason => this.#reopen(partition, reason))
  }

  /** Stops all work on a partition at once and drops its memory. */
  close(number: number, reason: string): void {
    this.#abandoned.delete(number)
    const partition = this.#partitions.get(number)
    if (partition === undefined) return
    partition.state = 'closed'
    this.#endings.set(number, partition.round ?? this.#endings.get(number) ?? null)
    this.#partitions.delete(number)
    this.#context.metrics.partitions.set(this.#partitions.size)
    this.#context.cache.dropPartition(number)
    this.#checks.forget(number)
    this.#context.checkForms().old.forget(number)
    closeInbox(partition.inbox)
    this.#context.logger.debug({ partition: number, reason }, 'partition closed')
  }

  /**
   * Stops taking inputs of a partition, finishes the waiting inputs, clears outboxes, writes freshness and checkpoint, and closes the
   * partition.
   */
  async handOver(number: number): Promise<void> {
    const partition = this.#partitions.get(number)
    if (partition === undefined) return this.close(number, 'handed over')
    await stopInbox(partition.inbox)
    // Waits for the running round, because the inputs that it has taken are no longer in the queue.
    await partition.round
    for (let rounds = 0; rounds < limits.keeper.handOverRounds && partition.state === 'live' && !isSettled(partition); rounds++) {
      partition.position.checkpointDueAt = 0
      await this.#rounds.runOne(partition)
    }
    this.close(number, 'handed over')
  }

  /**
   * Records that all children of a deleted subject are removed. If `signalKey` is given, records that all reports of this deleted signal
   * are removed.
   */
  removed(subjectId: string, signalKey: string | null): void {
    this.#settle(subjectId, entry =>
      signalKey === null ? entry.mode !== 'check' : entry.mode === 'remove-signal' && entry.signalKey === signalKey,
    )
    if (signalKey === null) this.#partitions.get(partitionOf(subjectId))?.outboxes.childless.add(subjectId)
  }

  /** Records that the bucket of checks has this entry, or a newer entry. */
  checkWritten(subjectId: string, { locationId, rev }: OutboxCheck): void {
    this.#settle(subjectId, entry => entry.mode === 'check' && entry.locationId === locationId && entry.rev <= rev)
  }

  #settle(subjectId: string, isDone: (entry: OutboxEntry) => boolean): void {
    const partition = this.#partitions.get(partitionOf(subjectId))
    if (partition === undefined) return
    clearDone(this.#context, partition, subjectId, isDone)
    this.wake()
  }

  /** Hands over all partitions. */
  async stop(): Promise<void> {
    this.#forgetLevel()
    await Promise.all([...this.#partitions.keys()].map(number => this.handOver(number)))
    this.#stopped = true
    await this.#rounds.stop()
  }

  prepare(partition: Partition, at: Moment): void {
    this.finished(partition)
    this.#listening.listenAgain(partition, at)
  }

  /** Makes a partition live once it has caught up with the stream. */
  finished(partition: Partition): void {
    const { number, position } = partition
    if (partition.state !== 'catching-up' || position.sequence < position.catchUpTo) return
    partition.state = 'live'
    const { specialChecks } = partition
    partition.specialChecks = []
    void stepWaiting(
      this.#context,
      partition,
      async () => specialChecks,
      () => true,
    )
    this.#context.becameLive()
    this.#context.bus
      .subscribe(subjects.commandsOfPartition(number), message => takeCommand(this.#context, partition, message))
      .then(subscription => {
        partition.inbox.commandSubscription = subscription
        if (partition.state === 'closed') return subscription.close()
        this.wake()
      })
      .catch(error => this.abandon(partition, error))
    this.wake()
  }

  /** Steps the subjects that wait for a first result at a location, because its probers can make other checks than before. */
  abilitiesChanged(locationId: string): void {
    for (const partition of this.#partitions.values()) {
      if (partition.state !== 'live') continue
      const readRows = () => this.#reads.rows(partition.number)
      void stepWaiting(this.#context, partition, readRows, location => location === locationId)
    }
  }

  /**
   * Writes the check entries of all partitions in the form of the new level. A partition that is opened meanwhile does so too, which does no
   * harm.
   */
  #writeChecksAnew(): void {
    for (const partition of this.#partitions.values()) {
      const { number } = partition
      const mayGoOn = () => partition.state !== 'closed' && this.#context.mayCommit(number)
      this.#checks.want(number)
      const write = () => reconcileChecks(this.#context, number, this.#checks, mayGoOn)
      this.#agreeing.run(write).catch(error => {
        const level = error instanceof NoLongerOurs ? 'debug' : 'warn'
        this.#context.logger[level]({ err: error, partition: number }, 'check entries are left to the next take-over')
      })
    }
  }

  /** Closes a partition whose memory cannot be trusted, and opens it again if the lease is still held. */
  abandon(partition: Partition, error: unknown): void {
    const { number } = partition
    if (this.#partitions.get(number) !== partition) return
    if (!(error instanceof NoLongerOurs)) this.#context.logger.warn({ err: error, partition: number }, 'partition opened anew')
    this.close(number, 'abandoned')
    reopenSilence(partition.silence)
    this.#abandoned.add(number)
    this.#openAgain(number)
  }

  /** Opens a partition once its lease is recent enough. A lease that is too old now may still be renewed. */
  #openAgain(number: number): void {
    this.#context.clock.schedule(limits.keeper.retryMs, () => {
      if (this.#stopped || !this.#abandoned.has(number)) return
      if (this.#context.mayCommit(number)) this.open(number)
      else this.#openAgain(number)
    })
  }

  /** Reopens a partition after its feed broke or the bus came back: verifies the stream and reads it again from the checkpoint. */
  #reopen(partition: Partition, reason: string): void {
    if (partition.state === 'closed' || partition.state === 'opening') return
    this.#context.logger.debug({ partition: partition.number, reason }, 'reading the stream anew')
    this.abandon(partition, new NoLongerOurs(reason))
  }
}
