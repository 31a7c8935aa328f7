// Senders of one simulated Resource: their reports, the required reply to each report (docs/reference/v3.md, 7.2, 7.3, 7.7, 7.10), and the
// accepted Observations with the instants of their rows.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import { shortHash } from '#shared/text/ids.ts'
import type { Sent } from './deeds.ts'
import { isArchived, latestBinding } from './facts.ts'
import type { Asking } from './house.ts'

interface Report {
  signal: string
  state: 'ok' | 'problem' | 'no_data'
  value: number | null
  atUs: number | null
  sentId: string | null
  labels: Record<string, string>
  signalKind: 'event' | null
}

type Taken = Extract<ObservedResult, { ok: true }>

/** A stored Observation as its sender knows it. */
interface Known {
  row: string
  answer: Taken
  content: string
  arrivals: number
}

export class Sender {
  readonly #resource: Asking
  readonly #sent: Report[] = []
  /** Sent reports by the signal's id, instant and labels, or by the sender's id. */
  readonly #known = new Map<string, Known>()
  readonly #declared = new Set<string>()
  #number = 0
  /** Instant of the reply to the last repetition; null: the report did not have to be repeated. */
  #repeatedAt: number | null = null
  /** Latest instant that the keeper has given a report, and the one of the report that is noted now, µs; null: its millisecond is known alone. */
  #stampedUs = 0
  #arrivedUs: number | null = null
  #ids = 0

  constructor(resource: Asking) {
    this.#resource = resource
  }

  hasDeclared(signalId: string): boolean {
    return this.#declared.has(signalId)
  }

  async send(observations: readonly Sent[]): Promise<void> {
    const { house, facts } = this.#resource
    const reports = observations.map(one => this.#reportOf(one))
    const body = reports.map(report => ({ ...report, reason: '', body: null }))
    const askedAt = house.keepers.now()
    const { reply, tries } = await this.#resource.ask({ kind: 'observe', observations: body })
    if (!reply.ok) throw new Error(`observations were refused with ${reply.error.message}`)
    const { results } = reply.result as { results: ObservedResult[] }
    this.#repeatedAt = tries > 1 ? house.keepers.now() : null
    const rows = isArchived(facts) ? [] : await this.#resource.rows()
    const firstUs = this.#stampOf(reports, results, rows)
    for (const [i, report] of reports.entries()) {
      this.#arrivedUs = firstUs + i
      this.#note(report, results[i] as ObservedResult, rows, askedAt)
    }
    this.#arrivedUs = null
    if (tries > 1) this.#adoptStrays(rows)
  }

  /**
   * Returns the instant of the first report of a command among all reports, µs: the keeper stamps no instant twice. Reports without an instant
   * have it in their rows.
   */
  #stampOf(reports: readonly Report[], results: readonly ObservedResult[], rows: readonly PushedObservationDocument[]): number {
    const found = results.map(result => (result.ok ? rows.find(row => isRowOf(row, this.#resource.facts.id, result)) : undefined))
    const stamped = reports.findIndex(
      ({ atUs, sentId }, i) => atUs === null && !this.#known.has(sentId ?? '') && found[i] !== undefined,
    )
    const arrivedAt = Math.floor(Math.max(0, ...found.map(row => row?.receivedAtUs ?? 0)) / 1_000) * 1_000
    const firstUs =
      stamped === -1 ? Math.max(arrivedAt, this.#stampedUs + 1) : sentUsOf(found[stamped] as PushedObservationDocument) - stamped
    if (reports.some(({ atUs }) => atUs === null)) this.#stampedUs = Math.max(this.#stampedUs, firstUs + reports.length - 1)
    return firstUs
  }

  #reportOf({ signal, state, value, ageMs, sentId, labels, signalKind, repeats }: Sent): Report {
    const { random, house } = this.#resource
    const earlier = this.#sent.filter(one => one.signal === signal && one.atUs !== null && one.sentId === null)
    if (repeats !== 'nothing' && earlier.length > 0) {
      const report = random.pick(earlier.slice(-8))
      return repeats === 'as it was' ? report : { ...report, state, value }
    }
    const atUs = ageMs === null ? null : (house.keepers.now() - ageMs) * 1_000 + random.pick([0, 0, 250, 999])
    const id =
      sentId === 'none' ? null : sentId === 'own' || this.#ids === 0 ? `id-${++this.#ids}` : `id-${random.integer(1, this.#ids)}`
    const report = { signal, state, value, atUs, sentId: id, labels, signalKind }
    this.#sent.push(report)
    return report
  }

  #note(report: Report, result: ObservedResult, rows: readonly PushedObservationDocument[], askedAt: number): void {
    const fault = (text: string) => this.#resource.fault(`${JSON.stringify(report)}: ${text}`)
    const known = report.sentId === null ? undefined : this.#known.get(report.sentId)
    const refused = this.#refusalOf(report, askedAt, known !== undefined)
    const said = result.ok ? null : (result.error.facts?.field ?? result.error.code)
    // When the report is repeated, its instant may no longer be too far ahead.
    const isNear = refused === 'at' && said === null && !isAhead(report, this.#resource.house.keepers.now())
    if (said !== refused && !isNear) fault(`refused with ${said} instead of ${refused}`)
    if (!result.ok || (refused !== null && !isNear)) return
    if (known === undefined) this.#take(report, result, rows, fault)
    else compareFirst(known.answer, result, fault)
  }

  #take(report: Report, result: Taken, rows: readonly PushedObservationDocument[], fault: (text: string) => void): void {
    const { facts } = this.#resource
    const binding = latestBinding(facts)
    const signalId = binding.signalIds[report.signal]
    const identity = `${result.signal} ${report.sentId ?? `${report.atUs} ${JSON.stringify(report.labels)}`}`
    const before = report.atUs === null || report.sentId !== null ? undefined : this.#known.get(identity)
    const content = JSON.stringify([report.state, keptValueOf(report)])
    if (before?.content === content) {
      compareFirst(before.answer, result, fault)
      return
    }
    if (result.createdSignal !== (signalId === undefined)) fault(`created_signal is ${result.createdSignal}`)
    if (signalId !== undefined && signalId !== result.signal) fault(`reported on ${result.signal}`)
    const row = rows.find(one => isRowOf(one, facts.id, result))
    if (row === undefined) {
      fault('it was acknowledged, and is not stored')
      return
    }
    if (signalId === undefined) {
      this.#declared.add(result.signal)
      const signalIds = { ...binding.signalIds, [report.signal]: result.signal }
      facts.events.push({ ...binding, at: Math.floor(row.receivedAtUs / 1_000), isRebound: false, isDeclared: true, signalIds })
    }
    this.#arrive(row, { report, result, identity, content })
  }

  #arrive(
    row: PushedObservationDocument,
    { report, result, identity, content }: { report: Report; result: Taken; identity: string; content: string },
  ): void {
    const number = ++this.#number
    const sentUs = sentUsOf(row)
    const { state } = report
    const at = Math.floor(row.receivedAtUs / 1_000)
    const repeated = this.#repeatedAt !== null && at < this.#repeatedAt - 1_000 ? { repeatedAt: this.#repeatedAt } : {}
    // An instant that is ahead counts as the arrival (v3 7.7). That of a repeated report stands in its row.
    const latestUs = at * 1_000 + 999
    const arrivedUs = 'repeatedAt' in repeated ? row.receivedAtUs : Math.min(this.#arrivedUs ?? latestUs, latestUs)
    const atUs = sentUs <= latestUs ? sentUs : Math.min(sentUs, arrivedUs)
    const observation = { signalId: result.signal, atUs, sentUs, number, identity: row.id, state, value: keptValueOf(report) }
    this.#resource.facts.events.push({ kind: 'observed', at, observation, ...repeated })
    this.#known.set(report.sentId ?? (report.atUs === null ? row.id : identity), {
      row: row.id,
      answer: result,
      content,
      arrivals: number,
    })
  }

  /**
   * Adds to the facts every stored report that got its instant from the keeper and was never acknowledged. When the sender repeats such a
   * report, the repetition is a separate Observation.
   */
  #adoptStrays(rows: readonly PushedObservationDocument[]): void {
    const seen = new Set(
      this.#resource.facts.events.flatMap(event => (event.kind === 'observed' ? [event.observation.identity] : [])),
    )
    for (const row of rows) {
      if (seen.has(row.id) || row.sentId != null) continue
      const state = row.ok === 1 ? 'ok' : row.ok === 0 ? 'problem' : 'no_data'
      const [, signal = ''] = row.id.split('.')
      const report: Report = { signal: '', state, value: row.value, atUs: null, sentId: null, labels: {}, signalKind: null }
      const result: Taken = { ok: true, signal, observation: shortHash(row.id), createdSignal: false }
      this.#arrive(row, { report, result, identity: row.id, content: '' })
    }
    this.#resource.facts.sorted += 1
    this.#resource.facts.events.sort((one, other) => one.at - other.at)
  }

  #refusalOf({ signal, atUs, signalKind }: Report, askedAt: number, isKnown: boolean): string | null {
    const { facts, house } = this.#resource
    if (isArchived(facts)) return 'resource'
    if (isKnown) return null
    const { signalIds, template } = latestBinding(facts)
    if (signalIds[signal] === undefined) {
      if (signalKind === null) return 'signal'
    } else if (signalKind !== null) {
      const declared = house.revisions.get(template)?.signals.find(({ key }) => key === signal)
      if (declared !== undefined && declared.kind !== signalKind) return 'kind'
    }
    return isAhead({ atUs }, askedAt) ? 'at' : null
  }
}

/** Returns whether the instant of the report is more than 60 s ahead. No sender uses instants near this bound. */
const isAhead = ({ atUs }: Pick<Report, 'atUs'>, now: number): boolean => atUs !== null && atUs > (now + 60_000) * 1_000

const keptValueOf = ({ state, value }: Report): number | null => (state === 'no_data' ? null : value)

function compareFirst(first: Taken, result: Taken, fault: (text: string) => void): void {
  const isSame = first.signal === result.signal && first.observation === result.observation
  if (!isSame || first.createdSignal !== result.createdSignal)
    fault(`answered ${JSON.stringify(result)} instead of its first answer ${JSON.stringify(first)}`)
}

const isRowOf = ({ id, sentId }: PushedObservationDocument, subjectId: string, { signal, observation }: Taken): boolean =>
  id.startsWith(`${subjectId}.${signal}.`) && (sentId === observation || shortHash(id) === observation)

const sentUsOf = ({ id }: PushedObservationDocument): number => Number(id.split('.')[2])
