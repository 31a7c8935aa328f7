// Record of every report that the stream accepted and of every command with its reply. It is the only input of the oracle.
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { SubjectView } from '#shared/contracts/subjects/subject-views.ts'

export interface Report {
  /** Creation time of the report's stream. */
  stream: string
  partition: number
  sequence: number
  /** `at`: end of the check. `takenAt`: acceptance of the report by the stream. Both in ms since the epoch. */
  at: number
  takenAt: number
  subjectId: string
  locationId: string
  slotAt: number
  rev: number
  ok: boolean
  /** True if the stream lost the report. */
  isLost: boolean
  /** True if the report's sequence had belonged to a report that the stream lost: see `compare.ts`, Reused sequences. */
  isReused: boolean
}

export interface Deal {
  subjectId: string
  command: Command
  sentAt: number
  /** Instant of the reply to the command; null: no reply has come so far. */
  answeredAt: number | null
  reply: { view: SubjectView | null; error: string | null } | null
}

export class Ledger {
  readonly reports: Report[] = []
  readonly deals: Deal[] = []
  /** Identities of reports that the stream has acknowledged. */
  readonly acknowledged = new Set<string>()
  readonly #bus: Bus
  #stream = ''
  /** Newest sequence that this stream assigned and lost. */
  #lostTo = 0

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Records the messages that the stream accepts in one partition, over a connection without injected faults. */
  async listen(partition: number, from = 1): Promise<void> {
    this.#stream = (await this.#bus.observations.state()).createdAt
    const stream = this.#stream
    await this.#bus.observations.open({
      partition,
      from: { sequence: from },
      onMessage: message => {
        const address = parseObservation(message.subject, message.body)
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

  /** Records that the stream lost everything above `sequence`, or all messages, and then follows the present stream. */
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

/** Bus subject of a report whose sender states its own location and subject. */
export const addressOf = (locationId: string, subjectId: string) => subjects.observation(locationId, subjectId)
