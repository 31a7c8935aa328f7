// What the outside world knows for sure: every report that the stream took, every command and its answer. The oracle judges by
// this alone.
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/check.ts'
import type { Command } from '#shared/contracts/command.ts'
import type { SubjectView } from '#shared/contracts/subject-views.ts'

export interface Report {
  /** The stream it is in, by creation time. */
  stream: string
  partition: number
  sequence: number
  /** Milliseconds since the epoch: when the check ended, and when the stream took its report. */
  at: number
  takenAt: number
  subjectId: string
  locationId: string
  slotAt: number
  rev: number
  ok: boolean
  /** The stream lost it again. */
  isLost: boolean
  /** Its sequence had belonged to a report that the stream lost: see `compare.ts`, Reused sequences. */
  isReused: boolean
}

export interface Deal {
  subjectId: string
  command: Command
  sentAt: number
  /** Null while nobody answered. */
  answeredAt: number | null
  reply: { view: SubjectView | null; error: string | null } | null
}

export class Ledger {
  readonly reports: Report[] = []
  readonly deals: Deal[] = []
  /** Identities of reports whose sender was told that the stream has them. */
  readonly acknowledged = new Set<string>()
  readonly #bus: Bus
  #stream = ''
  /** The newest sequence that this stream gave and lost. */
  #lostTo = 0

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Listens to what the stream takes in one partition, as an observer whom nothing disturbs. */
  async listen(partition: number, from = 1): Promise<void> {
    this.#stream = (await this.#bus.observations.state()).createdAt
    const stream = this.#stream
    await this.#bus.observations.open({
      partition,
      from: { sequence: from },
      onMessage: message => {
        const address = parseObservation(message.subject)
        const body = message.body as CheckResult
        if (address === null || typeof body?.slotAt !== 'number') return true
        const { locationId, subjectId } = address
        const { slotAt, rev, ok } = body
        const { sequence } = message
        const at = message.at - body.ageMs
        this.reports.push({
          stream,
          partition,
          sequence,
          at,
          takenAt: message.at,
          subjectId,
          locationId,
          slotAt,
          rev,
          ok,
          isLost: false,
          isReused: sequence <= this.#lostTo,
        })
        return true
      },
      onBroken: () => undefined,
    })
  }

  /** The stream lost what lies above `sequence`, or all of it; the observer listens to what is there now. */
  async forget(partitions: readonly number[], sequence: number): Promise<void> {
    this.#lostTo = 0
    for (const report of this.reports) {
      if (report.stream !== this.#stream || report.sequence <= sequence) continue
      report.isLost = true
      this.#lostTo = Math.max(this.#lostTo, report.sequence)
    }
    for (const partition of partitions) await this.listen(partition, sequence + 1)
  }

  get stream(): string {
    return this.#stream
  }
}

export const identityOf = ({ subjectId, locationId, slotAt }: { subjectId: string; locationId: string; slotAt: number }) =>
  `${subjectId}.${locationId}.${slotAt}`

/** A report's address, for a sender that is who it says. */
export const addressOf = (locationId: string, subjectId: string) => subjects.observation(locationId, subjectId)
