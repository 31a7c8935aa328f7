// Website monitor of generation 2 beside the simulated Resources, with reports of its locations over the bus, judged by the oracle of
// monitors (test/simulation/judged/oracle.ts). After injected faults only its records are checked, because the simulation of monitors
// injects faults of its own.

import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import type { SubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { replayIncident } from '../../../../infra/replay/replay-incident.ts'
import { websiteCheck } from '../../../support/checks.ts'
import type { Keepers, Lodging } from '../../custom/keepers.ts'
import { addressOf } from '../../judged/ledger.ts'
import { type ExpectedIncident, incidentsOf, type Told, verdictHistory } from '../../judged/oracle.ts'
import { isToldToAll } from '../../judged/told-to-all.ts'
import { Random } from '../../random.ts'
import type { Struck } from '../blows.ts'
import type { NeighbourDeal } from './custom-neighbour.ts'

const second = 1_000
const minute = 60 * second

export class WebsiteNeighbour {
  readonly #keepers: Keepers
  readonly #prober: Lodging
  readonly #random: Random
  readonly #id: string
  readonly #locations: string[]
  readonly #settings: Told['settings'] = []
  readonly #reports: Told['reports'] = []
  readonly #states = new Map<string, 'ok' | 'failing' | 'silent'>()
  #commands = 0

  constructor(seed: number, keepers: Keepers) {
    this.#keepers = keepers
    this.#prober = keepers.lodge()
    this.#random = new Random(seed, 'website neighbour')
    this.#id = this.#random.id(10)
    this.#locations = Array.from({ length: this.#random.integer(1, 3) }, () => this.#random.id(4))
  }

  async begin(lengthMs: number): Promise<NeighbourDeal[]> {
    const random = this.#random
    const check = websiteCheck({
      ...{ url: 'http://example.test/', content_type: '' },
      ...{ locations: this.#locations, interval_value: random.pick([5, 10]) },
      failure_mode: random.pick(['at_least_one', 'majority', 'all'] as const),
      ...{ confirm_after: random.pick([0, 45, 300]), recover_after: random.pick([0, 45, 300]) },
    })
    await this.#command({ kind: 'create-website', workspaceId: 'w', slug: 'site', name: 'Site', check })
    const start = this.#keepers.now()
    const deals = this.#locations.flatMap(location => this.#checksOf(location, start, { lengthMs, check }))
    for (let i = random.integer(0, 2); i > 0; i--) {
      const { confirm_after: _, recover_after: __, ...kept } = check
      const changed = {
        ...kept,
        locations: this.#locations.filter((_, place) => place === 0 || random.chance(0.6)),
        failure_mode: random.pick([null, 'at_least_one', 'majority', 'all'] as const),
      }
      const live = () => this.#command({ kind: 'update-website', name: 'Site', check: changed })
      deals.push({ at: start + random.integer(5 * minute, lengthMs), live })
    }
    return deals
  }

  /** Returns one report for each interval, in periods in which the website passes or fails; in some periods the location sends none. */
  #checksOf(location: string, start: number, { lengthMs, check }: { lengthMs: number; check: WebsiteCheck }): NeighbourDeal[] {
    const random = this.#random
    const deals: NeighbourDeal[] = []
    for (let at = start + random.integer(1, minute), until = 0; at < start + lengthMs; ) {
      if (at >= until) {
        until = at + random.integer(10, 150) * minute
        this.#states.set(location, random.pick(['ok', 'ok', 'failing', 'failing', 'silent'] as const))
      }
      const state = this.#states.get(location)
      if (state !== 'silent') deals.push({ at, live: () => this.#report(location, state === 'ok') })
      at += intervalMs(check) + random.integer(-second, second)
    }
    return deals
  }

  async #report(location: string, ok: boolean): Promise<void> {
    const slotAt = this.#keepers.now()
    const rev = this.#settings.at(-1)?.rev ?? 0
    const phases = { dnsMs: 1, connectMs: 2, tlsMs: null, firstByteMs: 3, totalMs: 5 }
    const result = { rev, slotAt, ok, error: ok ? null : 'connection refused', statusCode: ok ? 200 : null, phases, ageMs: 0 }
    await this.#prober.bus.observations.publish(addressOf(location, this.#id), result)
    this.#reports.push({ at: slotAt, locationId: location, slotAt, rev, ok })
  }

  async #command(sent: Record<string, unknown>): Promise<void> {
    const command = { id: `w${++this.#commands}`, ...sent }
    for (let tries = 0; tries < 400; tries++) {
      const reply = await this.#keepers.ask(this.#id, command)
      if (reply === null) await this.#keepers.clock.live(500)
      else if (!reply.ok) throw new Error(`${sent['kind']} was refused: ${reply.error.message}`)
      else {
        const { createdAt, updatedAt, rev, check } = reply.result as SubjectView
        const at = sent['kind'] === 'create-website' ? createdAt : updatedAt
        this.#settings.push({ at, check: check as WebsiteCheck, rev })
        return
      }
    }
    throw new Error(`${sent['kind']} is never answered`)
  }

  look = async (): Promise<void> => undefined

  async end(struck: readonly Struck[]): Promise<{ faults: string[]; messages: number }> {
    const { store } = this.#keepers
    const where = { subjectId: this.#id }
    const incidents = (await store.find('incidents', { where, limit: 10_000 })).sort((one, other) => one.number - other.number)
    const alerts = await store.find('alerts', { where, sort: [['number', 'asc']], limit: 10_000 })
    const faults: string[] = []
    for (const incident of incidents) {
      const history = await store.find('history', {
        where: { incidentId: incident.id },
        sort: [['sequence', 'asc']],
        limit: 10_000,
      })
      for (const fault of replayIncident(incident, history).faults) faults.push(`website: replay of ${incident.id}: ${fault}`)
    }
    if (struck.length > 0) return { faults, messages: alerts.length }
    const found = incidents.map(({ id, troubleSince, confirmedAt, wellSince, closedAt, condition, status }): ExpectedIncident => {
      const messages = alerts
        .filter(alert => alert.incidentId === id && isToldToAll(alert))
        .map(({ kind, reminder }) => (reminder ? 'reminder' : kind))
      return { troubleSince, confirmedAt, wellSince, closedAt, condition, status: status as never, messages }
    })
    const { confirm_after, recover_after } = (this.#settings[0] as Told['settings'][0]).check
    const holds = { confirmAfterMs: (confirm_after ?? 0) * second, closeAfterMs: (recover_after ?? 0) * second }
    const told = { settings: this.#settings, reports: this.#reports, ...holds, until: this.#keepers.now() }
    const wanted = incidentsOf(verdictHistory(told), told)
    for (let i = 0; i < Math.max(found.length, wanted.length); i++)
      if (describe(found[i]) !== describe(wanted[i]))
        faults.push(`website: incident ${i + 1} is ${describe(found[i])} instead of ${describe(wanted[i])}`)
    return { faults, messages: alerts.length }
  }
}

function describe(incident: ExpectedIncident | undefined): string {
  if (incident === undefined) return 'none'
  const { troubleSince, confirmedAt, wellSince, closedAt, condition, status, messages } = incident
  return `${status}/${condition} ${troubleSince} ${confirmedAt} ${wellSince} ${closedAt} [${messages}]`
}
