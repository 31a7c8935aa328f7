// Simulated installation: keepers that die and restart, a bus, a store, probers and people, on one time line. `run` runs a plan. Invariants
// that always hold are checked during the run, all others at the end (end.ts).

import type { Bus } from '#shared/bus/port.ts'
import type { Service } from '#shared/service.ts'
import { levelOf } from '#shared/store/level.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { announceGateway, type Presence } from '../../services/gateway/presence.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import { createMemoryHub, type MemoryHub } from '../support/bus/memory-bus.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { Ledger } from './judged/ledger.ts'
import { storeOf, surroundingsOf } from './keeper-surroundings.ts'
import { Life } from './life.ts'
import { People } from './people.ts'
import type { Fault, Plan } from './plan.ts'
import { Prober } from './prober.ts'
import { Random } from './random.ts'
import { VirtualTime } from './virtual-time.ts'
import { watched, watchReply } from './watched-store.ts'
import { clearWeather, type Weather } from './weather.ts'

/** Time without a report. It is long enough that freshness and checkpoint are written, and so short that no silence is noticed. */
const restMs = 25_000

/** One keeper of the installation. Its processes run one after another: a new process (`life`) replaces one that has died. */
export interface Seat {
  life: Life | null
  bus: Bus | null
  service: Service | null
  pace: { rate: number }
}

export class World {
  readonly plan: Plan
  readonly time = new VirtualTime()
  readonly random: Random
  readonly weather: Weather = clearWeather()
  readonly hub: MemoryHub
  /** The store with checks and without failures. Keepers call the store through a wrapper that injects failures and delays (`weather`). */
  readonly store: Store
  readonly ledger: Ledger
  readonly seats: Seat[] = []
  readonly probers: Prober[]
  readonly proberBuses: Bus[]
  readonly people: People
  readonly peopleBus: Bus
  readonly gatewayBus: Bus
  readonly observer: Bus
  /** Descriptions of the faults that were found. */
  readonly problems: string[] = []
  readonly trace: string[] = []
  readonly #isTraced: boolean
  readonly #used: Set<number>
  #gateway: Presence | null = null
  #lives = 0

  constructor(plan: Plan, isTraced: boolean) {
    this.plan = plan
    this.#isTraced = isTraced
    this.random = new Random(plan.seed, 'world')
    this.#used = new Set(plan.sites.map(site => partitionOf(site.subjectId)))
    this.hub = createMemoryHub({ clock: this.#clock })
    this.gatewayBus = this.hub.connect()
    this.observer = this.hub.connect()
    this.ledger = new Ledger(this.observer)
    this.store = watched(createMemoryStore(), this.ledger, this.observer, text => this.fault(text))
    const outside = { time: this.time, random: this.random, note: (text: string) => this.note(text) }
    this.proberBuses = plan.locations.map(() => this.hub.connect())
    this.probers = plan.locations.map((locationId, i) => {
      return new Prober({ ...outside, bus: this.proberBuses[i]!, ledger: this.ledger, locationId, sites: plan.sites })
    })
    this.peopleBus = this.hub.connect()
    const peopleStore = storeOf(new Life('people'), { ...outside, store: this.store }, this.weather.store)
    const onFault = (text: string) => this.fault(text)
    this.people = new People({ ...outside, bus: this.peopleBus, store: peopleStore, ledger: this.ledger, plan, onFault })
  }

  /** Some systems begin below the level at which check entries are in pages, and some of these are raised to it on the way. */
  readonly #level = levelOf(3)

  readonly #clock = {
    now: () => this.time.now(),
    monotonic: () => this.time.elapsed(),
    schedule: (delayMs: number, run: () => void) => this.time.schedule(delayMs, run),
  }

  get partitions(): number[] {
    return [...this.#used]
  }

  note(text: string): void {
    if (this.#isTraced) this.trace.push(`${(this.time.elapsed() / 1_000).toFixed(3).padStart(10)}  ${text}`)
  }

  fault(text: string): void {
    this.problems.push(text)
    this.note(`PROBLEM ${text}`)
  }

  /** Runs the plan. Each fault is passed to `causeFault` at its time. */
  async run(causeFault: (world: World, fault: Fault) => void): Promise<void> {
    const { plan, time } = this
    for (const partition of this.#used) await this.ledger.listen(partition)
    for (const prober of this.probers) await prober.start()
    for (let i = 0; i < plan.keepers; i++) this.seats.push({ life: null, bus: null, service: null, pace: { rate: 1 } })
    for (const seat of this.seats) this.begin(seat)
    this.people.start()
    this.setGateways(true)
    if (plan.flatAtMs === 0) this.#level.raise(flatForms)
    else if (plan.flatAtMs !== null) time.schedule(plan.flatAtMs, () => this.#level.raise(flatForms))
    for (const fault of plan.faults) time.schedule(fault.atMs, () => causeFault(this, fault))
    await time.advanceTo(plan.activeMs)
    this.#calm()
    await time.advanceTo(plan.activeMs + plan.calmMs)
    for (const prober of this.probers) prober.rest()
    await time.advanceTo(plan.activeMs + plan.calmMs + restMs)
  }

  /** Sets whether a gateway announces that it accepts reports. */
  setGateways(areThere: boolean): void {
    void this.#gateway?.stop()
    const logger = { debug: () => undefined } as never
    this.#gateway = areThere ? announceGateway({ bus: this.gatewayBus, clock: this.#clock, logger }, async () => undefined) : null
  }

  /** Starts a keeper. A keeper that cannot start is started again, as a supervisor does. */
  begin(seat: Seat): void {
    const life = new Life(`keeper-${++this.#lives}`)
    const bus = this.hub.connect()
    Object.assign(seat, { life, bus, service: null })
    this.note(`${life.name} starts`)
    const context = surroundingsOf(
      life,
      {
        time: this.time,
        random: this.random,
        note: text => this.note(`${life.name} ${text}`),
        bus,
        store: this.store,
        weather: this.weather,
        level: this.#level,
        isUsed: partition => this.#used.has(partition),
        onError: text => this.#onError(life, text),
        onReply: (message, reply) => void watchReply(this.store, message, reply, text => this.fault(text)),
      },
      seat.pace,
    )
    const options = { keeperId: life.name, exclusive: false, ...this.plan.holds }
    startKeeper(context, options).then(
      service => {
        if (seat.life === life) seat.service = service
      },
      () => {
        if (seat.life !== life) return
        this.end(seat)
        this.time.schedule(1_000, () => this.begin(seat))
      },
    )
  }

  /** Kills the present process of this keeper at once, as `kill -9` does. */
  end(seat: Seat): void {
    if (seat.life === null) return
    this.note(`${seat.life.name} ends`)
    seat.life.die()
    void seat.bus?.close()
    Object.assign(seat, { life: null, bus: null, service: null })
  }

  /** Reads an error in a keeper's log. A step can fail on planted input; every other error is a fault. */
  #onError(life: Life, text: string): void {
    if (text.includes('does not fit') && text.includes('became a dead letter')) return
    this.fault(`${life.name} says: ${text}`)
  }

  /** Ends every delay and every fault that still lasts. */
  #calm(): void {
    this.note('calm begins')
    Object.assign(this.weather.store, clearWeather().store)
    Object.assign(this.weather.bus, clearWeather().bus)
    Object.assign(this.weather, { lostCommands: 0, lostReplies: 0, doubledCommands: 0, feedMs: 0 })
    this.hub.depose([])
    for (const prober of this.probers) {
      Object.assign(prober, { isHeldBack: false, doubles: 0 })
      prober.flush()
    }
    for (const seat of this.seats) {
      seat.pace.rate = 1
      if (seat.bus !== null) this.hub.deafen(seat.bus, () => false)
      seat.life?.thaw()
      if (seat.life === null) this.begin(seat)
    }
  }
}
