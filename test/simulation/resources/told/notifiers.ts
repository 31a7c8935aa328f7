// Notifier of a simulated installation and its deaths: it is killed between two messages, or after a receiver accepted a message and before
// the store has the result. Another notifier always starts.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import 'undici'
import { limits } from '#shared/limits/limits.ts'
import { startNotifier } from '../../../../services/notifier/app.ts'
import type { Keepers, Lodging } from '../../custom/keepers.ts'
import type { Receivers } from './receivers.ts'

/** Time until a dead notifier's claim has expired and the next scan has found the delivery, ms. */
export const claimLostMs = limits.notifier.claimMs + 2 * limits.notifier.scanMs

const silent = pino({ level: 'silent' })

export class Notifiers {
  readonly deaths: number[] = []
  readonly #keepers: Keepers
  readonly #receivers: Receivers
  #lodging: Lodging | null = null
  #started = 0

  constructor(keepers: Keepers, receivers: Receivers) {
    this.#keepers = keepers
    this.#receivers = receivers
    keepers.clock.isSending = () => receivers.isAwaited()
  }

  async start(): Promise<void> {
    const lodging = this.#keepers.lodge()
    const { bus, store, clock } = lodging
    const context = { bus, store, clock, logger: silent, metrics: new Registry() }
    const living = this.#keepers.clock.liveThroughStart(100)
    const starting = startNotifier(context, {
      notifierId: `notifier${++this.#started}`,
      // Only one runs at a time. Announcements each second would take most of the time of half a simulated day.
      exclusive: true,
      version: '2.0.0',
      serviceUrl: 'https://status.example.com',
      publicUrl: 'https://status.example.com',
      incidentSalt: 'grain',
      jitter: () => 0,
    })
    await living
    await starting
    this.#lodging = lodging
  }

  async die(): Promise<void> {
    const lodging = this.#lodging
    this.#lodging = null
    if (lodging === null) return
    this.deaths.push(this.#keepers.now())
    await lodging.die()
  }

  async restart(): Promise<void> {
    await this.die()
    await this.start()
    this.#keepers.clock.stayFor(claimLostMs)
  }

  /** Dies when the next message arrives, at the latest after `forMs`. Then another notifier starts. */
  async dieSending(forMs: number): Promise<void> {
    let isDead = false
    this.#receivers.onRequest = () => {
      isDead = true
      void this.die()
    }
    for (let waited = 0; !isDead && waited < forMs; waited += 500) await this.#keepers.clock.live(500)
    this.#receivers.onRequest = () => undefined
    await this.restart()
  }
}
