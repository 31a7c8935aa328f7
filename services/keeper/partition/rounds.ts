// Rounds of a keeper: begins a round when partitions have work, and sleeps until the next deadline. A partition is in one round at a time;
// its new inputs wait for the next round. Rounds of other partitions run at the same time. Never opens or closes a partition.
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { type KeeperContext, NoLongerOurs } from '../context.ts'
import { gatherTakes } from '../round/gather.ts'
import { runRound, type Take } from '../round/round.ts'
import { hasUrgentWork, nextWorkAt, type Partition } from './partition.ts'
import { type Moment, momentOf } from './silence.ts'

/** Host of the partitions that rounds work on. */
export interface RoundHost {
  partitions(): Partition[]
  partition(number: number): Partition | undefined
  /** Called for each partition before inputs are taken from it. */
  prepare(partition: Partition, at: Moment): void
  /** Called for each partition of a round that has ended without an error. */
  finished(partition: Partition): void
  /** Called when the partition's memory can no longer be trusted. */
  abandon(partition: Partition, error: unknown): void
}

export class Rounds {
  readonly #context: KeeperContext
  readonly #host: RoundHost
  readonly #running = new Set<Promise<void>>()
  /** True if a round is scheduled. */
  #isWoken = false
  /** True if work waits for a round to end. */
  #isWanted = false
  #cancelTimer: Cancel | null = null
  #gathering: Cancel | null = null
  #begun = 0
  #stopped = false

  constructor(context: KeeperContext, host: RoundHost) {
    this.#context = context
    this.#host = host
  }

  readonly #isInRound = (subjectId: string) => (this.#host.partition(partitionOf(subjectId))?.round ?? null) !== null

  /** Begins a round in this turn of the event loop, unless the maximum number of rounds is running. */
  wake(): void {
    if (this.#running.size >= limits.keeper.roundsAtOnce) {
      this.#isWanted = true
      return
    }
    if (this.#isWoken) return
    this.#isWoken = true
    this.#cancelTimer?.()
    this.#cancelTimer = null
    // Inputs that arrive in this turn join the round.
    void Promise.resolve().then(() => {
      this.#isWoken = false
      this.#isWanted = false
      const takes = this.#gather()
      if (takes.length > 0) void this.#begin(takes)
      this.#goOn()
    })
  }

  /** Begins a round after a short delay, for inputs that can wait for others to join the round. */
  wakeSoon(): void {
    this.#gathering ??= this.#context.clock.schedule(limits.keeper.gatherMs, () => {
      this.#gathering = null
      this.wake()
    })
  }

  /** Runs a round of one partition, or waits for the present round of the partition. */
  async runOne(partition: Partition): Promise<void> {
    const takes = gatherTakes(this.#context, [partition], this.#context.clock.now(), this.#isInRound)
    await (takes.length > 0 ? this.#begin(takes) : partition.round)
  }

  /** Resolves once all rounds that run now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Stops beginning rounds. Resolves once all rounds have ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#gathering?.()
    await this.ended()
  }

  /** Runs a round. Its partitions are in no other round until it ends. */
  #begin(takes: Take[]): Promise<void> {
    const round = this.#run(takes).finally(() => {
      this.#running.delete(round)
      for (const { partition } of takes) partition.round = null
      this.#goOn()
    })
    this.#running.add(round)
    for (const { partition } of takes) Object.assign(partition, { round, roundSince: this.#context.clock.monotonic() })
    return round
  }

  /** Called after a round has begun or ended. */
  #goOn(): void {
    if (this.#running.size >= limits.keeper.roundsAtOnce) return
    if (this.#isWanted || this.#hasMore()) this.wake()
    else this.#sleep()
  }

  #hasMore(): boolean {
    const now = this.#context.clock.now()
    const connected = this.#context.bus.connected()
    const hasMore = (partition: Partition) =>
      partition.round === null && hasUrgentWork(partition, now, connected) && this.#context.mayCommit(partition.number)
    return !this.#stopped && this.#host.partitions().some(hasMore)
  }

  #gather(): Take[] {
    const at = momentOf(this.#context.clock)
    for (const partition of this.#host.partitions()) this.#host.prepare(partition, at)
    return gatherTakes(this.#context, this.#host.partitions(), at.now, this.#isInRound)
  }

  async #run(takes: Take[]): Promise<void> {
    const { metrics, cache, logger, keeperId } = this.#context
    metrics.roundInputs.observe(takes.reduce((sum, take) => sum + take.inputs.length, 0))
    try {
      const lapsed = await runRound(this.#context, takes, `${keeperId}.${this.#begun++}`)
      for (const partition of lapsed) this.#host.abandon(partition, new NoLongerOurs('the lease was too old to commit'))
      for (const { partition } of takes) this.#host.finished(partition)
    } catch (error) {
      if (!(error instanceof NoLongerOurs)) logger.error({ err: error }, 'round could not be finished')
      for (const { partition } of takes) this.#host.abandon(partition, error)
    }
    metrics.subjectsCached.set(cache.size)
  }

  /** Sleeps until the next deadline. Partitions in a round are checked when the round ends. */
  #sleep(): void {
    if (this.#stopped || this.#isWoken) return
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const waiting = this.#host.partitions().filter(partition => partition.round === null)
    // These results exceeded the bound of the last round. No caller waits for them, so a short delay does no harm.
    if (waiting.some(({ inbox }) => inbox.results.length > 0)) this.wakeSoon()
    const connected = this.#context.bus.connected()
    const at = momentOf(this.#context.clock)
    let next: number | null = null
    for (const partition of waiting) {
      const workAt = nextWorkAt(partition, connected, at)
      if (workAt !== null && (next === null || workAt < next)) next = workAt
    }
    if (next === null) return
    const delayMs = next - at.now
    this.#cancelTimer = this.#context.clock.schedule(delayMs > 0 ? delayMs : limits.keeper.overdueMs, () => this.wake())
  }
}
