// Keepers of a simulated custom subject, and their faults: a keeper dies or hands over, no keeper runs for a while, the store or the
// gateways fail, the machine's clock is set. In the end a keeper always runs again.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service } from '#shared/service.ts'
import { type Put, type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { announceGateway, type Presence } from '../../../services/gateway/presence.ts'
import { startKeeper } from '../../../services/keeper/app.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { presentLevel } from '../../support/present-level.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import type { Random } from '../random.ts'
import { JumpingClock } from './jumping-clock.ts'

const second = 1_000
const minute = 60 * second
/**
 * Upper bound of the time after a fault in which commands wait. A take-over happens within 10 s, and silence is held back for 15 s more.
 */
export const latenessMs = 45 * second
/**
 * Jumps skip the renewals of leases. The clock runs this long without a jump before an injected fault, so that the lease has been renewed
 * just before the fault.
 */
export const renewalMs = limits.keeper.leaseRenewMs + second
/**
 * After the machine's clock is set, keepers correct their clock at a rate of one percent (shared/time/clock.ts), here for twenty minutes.
 */
const correction = { rate: 0.01, forMs: 20 * minute }

export const blows = ['kill', 'stop', 'restart', 'store away', 'gateways away', 'clock set'] as const
export type Blow = (typeof blows)[number]

const silent = pino({ level: 'silent' })

interface Keeper {
  bus: Bus
  service: Service | null
  isAlive: boolean
  /** Number of writes of the next round after which the keeper dies; null: the keeper keeps running. */
  writesLeft: number | null
}

export interface Lodging {
  bus: Bus
  clock: Clock
  store: Store
  /** Ends the process at once, as kill -9 does. */
  die(): Promise<void>
}

export class Keepers {
  readonly clock = new JumpingClock(Date.UTC(2026, 0, 5))
  readonly store = createMemoryStore()
  readonly #hub = createMemoryHub({ clock: this.clock })
  readonly #client = this.#hub.connect()
  readonly #random: Random
  readonly #corrections: { from: number; sign: number }[] = []
  #keeper!: Keeper
  #started = 0
  #storeAwayUntil = 0
  #gateway: Presence | null = null

  constructor(random: Random) {
    this.#random = random
  }

  /** Returns the time of the keepers' clock, which is the machine's clock with the correction made so far. */
  now(): number {
    const passed = (from: number) => Math.min(correction.forMs, Math.max(0, this.clock.now() - from))
    const correctedMs = this.#corrections.reduce((sum, { from, sign }) => sum + sign * correction.rate * passed(from), 0)
    return Math.floor(this.clock.now() + correctedMs)
  }

  async start(): Promise<void> {
    const keeper: Keeper = { bus: this.#hub.connect(), service: null, isAlive: true, writesLeft: null }
    const context = {
      bus: keeper.bus,
      clock: this.#clockOf(keeper),
      store: this.#storeOf(keeper),
      logger: silent,
      level: presentLevel(),
      metrics: new Registry(),
    }
    const keeperId = `keeper${++this.#started}`
    const living = this.clock.liveThroughStart(100)
    const starting = startKeeper(context, { keeperId, exclusive: false, confirmAfterMs: 0, closeAfterMs: 0 })
    this.#gateway ??= this.#startGateway()
    await living
    keeper.service = await starting
    this.#keeper = keeper
  }

  /** Stops all keepers until the given instant. */
  async beAway(until: number): Promise<void> {
    await this.#kill()
    await this.clock.passUntil(until)
    await this.start()
    this.clock.stayFor(latenessMs)
  }

  /**
   * Injects a fault and runs until some seconds after it. Returns the instant on the keepers' clock at which reports can be accepted again.
   */
  async suffer(blow: Blow): Promise<number> {
    if (blow === 'store away') this.#storeAwayUntil = this.clock.now() + 8 * second
    if (blow === 'gateways away') await this.lack('gateways', 8 * second)
    if (blow === 'clock set') this.#setClock()
    if (blow === 'kill' || blow === 'restart') await this.#kill()
    if (blow === 'restart') await this.clock.live(this.#random.integer(1, 8) * second)
    if (blow === 'kill' || blow === 'restart') await this.start()
    if (blow === 'stop') await this.#handOver()
    const endsAt = this.now() + Math.max(0, this.#storeAwayUntil - this.clock.now())
    // The clock must not jump over a take-over.
    this.clock.stayFor(latenessMs)
    await this.clock.live(this.#random.pick([0, 5, 20]) * second)
    return endsAt
  }

  /** Runs through a time without the store or without gateways. */
  async lack(what: 'store' | 'gateways', forMs: number): Promise<void> {
    if (what === 'store') this.#storeAwayUntil = this.clock.now() + forMs
    else await this.#gateway?.stop()
    await this.clock.live(forMs)
    if (what === 'gateways') {
      const living = this.clock.liveThroughStart(1)
      this.#gateway = this.#startGateway()
      await living
    }
    this.clock.stayFor(latenessMs)
  }

  #startGateway(): Presence {
    return announceGateway({ bus: this.#client, clock: this.clock.ofGateways, logger: silent }, async () => undefined)
  }

  /**
   * Lets the keeper die in the middle of its next write, after 10 s at most, and starts another keeper. Returns the instant of the death.
   */
  async dieWriting(writes: number): Promise<number> {
    const dying = this.#keeper
    dying.writesLeft = writes
    for (let waited = 0; dying.isAlive && waited < 100; waited++) await this.clock.live(100)
    const diedAt = this.now()
    await this.#kill()
    await this.start()
    this.clock.stayFor(latenessMs)
    return diedAt
  }

  /**
   * Returns surroundings for a process of another service, on the same bus, store and clock as the keepers. In a jump its monotonic clock
   * goes on: it has no leases, and counts the pauses of receivers on this clock.
   */
  lodge(): Lodging {
    const life: Keeper = { bus: this.#hub.connect(), service: null, isAlive: true, writesLeft: null }
    const die = async () => {
      life.isAlive = false
      this.#hub.cut(life.bus)
      await life.bus.close()
    }
    return { bus: life.bus, clock: { ...this.#clockOf(life), monotonic: this.clock.passed }, store: this.#storeOf(life), die }
  }

  /** Sends one request; null: no reply. `meanwhile` advances the clock right after the sending. */
  async ask(
    subjectId: string,
    command: Record<string, unknown>,
    meanwhile: () => Promise<void> = () => this.clock.live(1),
  ): Promise<Reply | null> {
    let reply: Reply | null | undefined
    const asked = this.#client.request(subjects.command(subjectId), command, { timeoutMs: 5_000 })
    void asked
      .then(answer => answer as Reply)
      .catch(() => null)
      .then(answer => {
        reply = answer
      })
    await meanwhile()
    while (reply === undefined) await this.clock.live(50)
    return reply
  }

  async #handOver(): Promise<void> {
    const leaving = this.#keeper
    await this.start()
    let isStopped = false
    void leaving.service?.stop().then(() => {
      isStopped = true
    })
    for (let waited = 0; !isStopped && waited < 300; waited++) await this.clock.live(100)
    leaving.isAlive = false
    await leaving.bus.close()
  }

  async #kill(): Promise<void> {
    this.#keeper.isAlive = false
    this.#hub.cut(this.#keeper.bus)
    await this.#keeper.bus.close()
  }

  /** Sets the machine's clock forward and back alternately, so that the keepers' clock is never further off than a timer tolerates. */
  #setClock(): void {
    const sign = this.now() > this.clock.now() ? -1 : 1
    this.#corrections.push({ from: this.clock.now(), sign })
  }

  /** Returns the clock of a keeper. Its timers never fire once the keeper is dead. */
  #clockOf(keeper: Keeper): Clock {
    return {
      now: () => this.now(),
      monotonic: this.clock.monotonic,
      schedule: (delayMs, run) => this.clock.schedule(delayMs, () => keeper.isAlive && run()),
    }
  }

  /** Returns the store of a keeper. Calls never end once the keeper is dead, and reject while the store is unavailable. */
  #storeOf(keeper: Keeper): Store {
    return new Proxy<Store>(this.store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => unknown
        if (typeof method !== 'function') return method
        return (...given: unknown[]) => {
          if (!keeper.isAlive) return new Promise(() => undefined)
          if (this.clock.now() < this.#storeAwayUntil && name !== 'close')
            return Promise.reject(new StoreError('unavailable', 'the store is away'))
          if (keeper.writesLeft !== null && name === 'putInOrder') return dieIn(target, keeper, given[0] as readonly Put[])
          return method.apply(target, given)
        }
      },
    })
  }
}

/** Writes a part of the documents and never ends. */
async function dieIn(store: Store, keeper: Keeper, puts: readonly Put[]): Promise<never> {
  const writes = puts.filter(({ documents }) => documents.length > 0).slice(0, keeper.writesLeft ?? 0)
  keeper.isAlive = false
  await store.putInOrder(writes)
  return new Promise(() => undefined)
}
