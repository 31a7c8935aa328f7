// Simulated location. Simulated prober: checks as its check entries say, reports the planned states of the websites, and keeps reports that
// the bus refuses.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseCheckKey } from '#shared/bus/subjects.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { addressOf, identityOf, type Ledger } from './judged/ledger.ts'
import type { Site } from './plan.ts'
import type { Outside } from './weather.ts'

export interface ProberOptions extends Outside {
  bus: Bus
  ledger: Ledger
  locationId: string
  sites: readonly Site[]
}

interface Waiting {
  subjectId: string
  endedAtMs: number
  result: Omit<CheckResult, 'ageMs'>
}

export class Prober {
  readonly #options: ProberOptions
  /** Assignment of each subject. The loop that checks a subject ends when its assignment has been replaced. */
  readonly #entries = new Map<string, WebsiteEntry>()
  readonly #waiting: Waiting[] = []
  #isSending = false
  /** True while reports are held back, as on a slow line. */
  isHeldBack = false
  /** Share of slots that a second prober reports as well. */
  doubles = 0

  constructor(options: ProberOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { bus, locationId } = this.#options
    await bus.bucket('checks').watch(keys.checksOfLocation(locationId), {
      onEntry: ({ key, value }) => this.#assign(parseCheckKey(key)?.subjectId ?? '', value as WebsiteEntry | null),
    })
    bus.onConnection(isUp => void (isUp && this.flush()))
  }

  flush(): void {
    if (this.#isSending) return
    this.#isSending = true
    void this.#send().finally(() => {
      this.#isSending = false
    })
  }

  /** Stops all checks. */
  rest(): void {
    this.#entries.clear()
  }

  unsent(): number {
    return this.#waiting.length
  }

  #assign(subjectId: string, entry: WebsiteEntry | null): void {
    if (entry === null) this.#entries.delete(subjectId)
    else {
      this.#entries.set(subjectId, entry)
      this.#check(subjectId, entry)
    }
  }

  /** Makes one check now and the next at the next slot. */
  #check(subjectId: string, entry: WebsiteEntry): void {
    if (this.#entries.get(subjectId) !== entry) return
    const { time, random, locationId, sites } = this.#options
    const slotAt = time.now()
    const spells = sites.find(site => site.subjectId === subjectId)?.spells[locationId] ?? []
    const state = spells.find(spell => time.elapsed() < spell.untilMs)?.state ?? 'ok'
    const totalMs = random.integer(5, 400)
    if (state !== 'silent') time.schedule(totalMs, () => this.#report(subjectId, entry.rev, slotAt, totalMs, state === 'ok'))
    time.schedule(entry.intervalMs + random.integer(-1_000, 1_000), () => this.#check(subjectId, entry))
  }

  #report(subjectId: string, rev: number, slotAt: number, totalMs: number, ok: boolean): void {
    const phases = { dnsMs: 1, connectMs: 2, tlsMs: null, firstByteMs: 3, totalMs }
    const result = { rev, slotAt, ok, error: ok ? null : 'connection refused', statusCode: ok ? 200 : null, phases }
    this.#waiting.push({ subjectId, endedAtMs: this.#options.time.elapsed(), result })
    this.flush()
  }

  async #send(): Promise<void> {
    const { bus, time, random, ledger, locationId } = this.#options
    while (!this.isHeldBack && bus.connected()) {
      const next = this.#waiting[0]
      if (next === undefined) return
      const { subjectId, result, endedAtMs } = next
      const ageMs = Math.round(time.elapsed() - endedAtMs)
      try {
        await bus.observations.publish(addressOf(locationId, subjectId), { ...result, ageMs })
        if (random.chance(this.doubles)) this.#double(subjectId, result)
        ledger.acknowledged.add(identityOf({ subjectId, locationId, slotAt: result.slotAt }))
        this.#waiting.shift()
      } catch {
        await time.pass(1_000)
      }
    }
  }

  /** Sends the same slot as a second prober, a little later and perhaps with another result. */
  #double(subjectId: string, result: Omit<CheckResult, 'ageMs'>): void {
    const { bus, time, random, locationId } = this.#options
    const ok = random.chance(0.7) ? result.ok : !result.ok
    time.schedule(random.integer(0, 90_000), () => {
      bus.observations.publish(addressOf(locationId, subjectId), { ...result, ok, ageMs: 0 }).catch(() => undefined)
    })
  }
}
