// Simulated location. Simulated prober: checks as its check entries say, reports the planned states of the websites, and keeps reports that
// the bus refuses.
import type { Bus } from '#shared/bus/port.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { EntryTable } from '../../services/prober/entry-table.ts'
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
  /** Subjects whose entries came in pages. */
  readonly #paged = new Set<string>()
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
    const table = new EntryTable({
      onEntry: ({ subjectId, value, isPaged }) => this.#assign(subjectId, value as WebsiteEntry, isPaged),
      onRemoved: subjectId => void this.#entries.delete(subjectId),
      onPage: () => undefined,
    })
    const location = keys.checksOfLocation(locationId)
    await bus.bucket('check-pages').watch(location, { onEntry: table.page })
    await bus.bucket('checks').watch(location, { onEntry: table.single })
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

  #assign(subjectId: string, entry: WebsiteEntry, isPaged: boolean): boolean {
    if (isPaged) this.#paged.add(subjectId)
    else this.#paged.delete(subjectId)
    // An entry that has only come into its page is the same.
    if (this.#entries.get(subjectId)?.rev === entry.rev) return true
    this.#entries.set(subjectId, entry)
    this.#check(subjectId, entry)
    return true
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
        await this.#publish(subjectId, { ...result, ageMs })
        if (random.chance(this.doubles)) this.#double(subjectId, result)
        ledger.acknowledged.add(identityOf({ subjectId, locationId, slotAt: result.slotAt }))
        this.#waiting.shift()
      } catch {
        await time.pass(1_000)
      }
    }
  }

  #publish(subjectId: string, result: CheckResult): Promise<void> {
    const { bus, locationId } = this.#options
    if (!this.#paged.has(subjectId)) return bus.observations.publish(addressOf(locationId, subjectId), result)
    return bus.observations.publish(subjects.flatObservation(locationId, subjectId), { subject: subjectId, ...result })
  }

  /** Sends the same slot as a second prober, a little later and perhaps with another result. */
  #double(subjectId: string, result: Omit<CheckResult, 'ageMs'>): void {
    const { time, random } = this.#options
    const ok = random.chance(0.7) ? result.ok : !result.ok
    time.schedule(random.integer(0, 90_000), () => {
      this.#publish(subjectId, { ...result, ok, ageMs: 0 }).catch(() => undefined)
    })
  }
}
