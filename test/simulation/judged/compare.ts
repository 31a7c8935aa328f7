// Comparison of a keeper's results with the oracle. Only this file lists the permitted differences and their reasons:
//
// Profiles `steady`, `silent` and `long`: no difference is permitted. But two cases are compared as loosely as in `rough`, because either
//   order of their inputs is right.
//   Crossing: the stream accepts a report between the instant of an update and the reply to the update. The report may be stepped before or
//     after the update.
//   Held silence: in `steady`, an input may fall silent in the 15 s after a take-over, in which silence does not count. In every profile
//     an input may fall silent while the store is unavailable, or in the equally long time afterwards in which silence is held back
//     (ADR 22).
// Profile `rough`: reports come late and are judged no earlier than the newest judgement. Silence is held back after every take-over and
//   reconnect, and clocks run 1 % off. Instants may differ by `slackOf`. A problem that lasts longer than its confirmation delay plus
//   `slackOf` must have been confirmed, and a confirmed incident must have a problem. Nothing is compared if the stream lost reports.
// Suspended: while the machine of all processes is suspended, time passes without reports, and silence is held back for as long afterwards
//   (ADR 35). These worlds are compared as loosely as `rough` ones.
// Reused sequences: a stream loses its newest reports and grows again before the holder notices. The stream gives the lost sequences to
//   new reports. Keepers do not read new reports with sequences up to the checkpoint.
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import { minute } from '#shared/limits/limits.ts'
import type { FaultKind } from '../plan.ts'
import { startOfTime } from '../virtual-time.ts'
import type { World } from '../world.ts'
import type { Report } from './ledger.ts'
import { type ExpectedIncident, incidentsOf, type Told, type VerdictEntry, verdictHistory } from './oracle.ts'
import type { Remains } from './remains.ts'
import { isToldToAll } from './told-to-all.ts'

export function compareWithOracle(world: World, remains: Remains, fault: (text: string) => void): void {
  const { incidents, alerts } = remains
  const told = toldOf(world, remains)
  if (told === null) return
  const history = verdictHistory(told)
  const expected = incidentsOf(history, told)
  const isHeld = (world.plan.profile === 'steady' && history.some(entry => entry.cause === 'silence')) || isInHold(world, history)
  const isSuspended = world.plan.faults.some(({ kind }) => kind === 'suspend')
  if (world.plan.profile === 'rough' || isHeld || isSuspended || isAmbiguous(world, remains)) {
    compareLoosely(world, remains, told, expected, fault)
    return
  }
  const actual: ExpectedIncident[] = incidents.map(incident => ({
    troubleSince: incident.troubleSince,
    confirmedAt: incident.confirmedAt,
    wellSince: incident.wellSince,
    closedAt: incident.closedAt,
    condition: incident.condition,
    status: incident.status,
    messages: alerts
      .filter(alert => alert.incidentId === incident.id && isToldToAll(alert))
      .map(alert => (alert.reminder ? 'reminder' : alert.kind)),
  }))
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const [wanted, found] = [describe(expected[i]), describe(actual[i])]
    if (wanted === found) continue
    fault(`incident ${i + 1} should be ${wanted}, is ${found}; verdicts ${describeHistory(history)}`)
    return
  }
}

/** Returns whether an input falls silent while the store is unavailable, or afterwards while silence is held back. */
function isInHold({ plan }: World, history: readonly VerdictEntry[]): boolean {
  return plan.faults.some(({ kind, atMs, forMs }) => {
    const [from, until] = [startOfTime + atMs, startOfTime + atMs + 2 * forMs + minute]
    const isSilentIn = ({ at, verdict }: VerdictEntry, i: number) =>
      verdict === 'no_data' && at < until && (history[i + 1]?.at ?? until) > from
    return kind === 'store gone' && history.some(isSilentIn)
  })
}

/** Returns the longest time without the store, plus the time in which silence is held back afterwards, plus other delays, ms. */
const slackOf = ({ plan }: World, kinds: readonly FaultKind[]): number =>
  4 * minute + Math.max(0, ...plan.faults.map(({ kind, forMs }) => (kinds.includes(kind) ? 2 * forMs : 0)))

/** Returns the function from an instant to the instant without the suspends before it. A suspend is no trouble and explains none. */
function livedBy({ plan }: World): (at: number) => number {
  let suspendedMs = 0
  const suspends = plan.faults
    .filter(({ kind }) => kind === 'suspend')
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ atMs, forMs }) => {
      const from = startOfTime + atMs + suspendedMs
      suspendedMs += forMs
      return { from, forMs }
    })
  return at => suspends.reduce((lived, { from, forMs }) => lived - Math.min(Math.max(0, at - from), forMs), at)
}

function compareLoosely(
  world: World,
  { incidents }: Remains,
  told: { reports: Report[] },
  expected: readonly ExpectedIncident[],
  fault: (text: string) => void,
): void {
  if (told.reports.some(report => report.isLost || report.isReused)) return
  const slackMs = slackOf(world, ['store gone', 'suspend'])
  const lived = livedBy(world)
  const livedOrNull = (at: number | null) => (at === null ? null : lived(at))
  const confirmed = incidents
    .filter(incident => incident.confirmedAt !== null)
    .map(({ number, troubleSince, confirmedAt, closedAt }) => ({
      number,
      troubleSince: lived(troubleSince),
      confirmedAt: livedOrNull(confirmedAt),
      closedAt: livedOrNull(closedAt),
    }))
  const present = lived(world.time.now())
  for (const wanted of expected) {
    const endsAt = wanted.wellSince ?? present
    if (wanted.confirmedAt === null || endsAt - wanted.confirmedAt < slackMs) continue
    const { confirmedAt } = wanted
    if (!confirmed.some(found => found.confirmedAt! <= endsAt && (found.closedAt ?? endsAt) >= confirmedAt))
      fault(`nobody was told of ${describe(wanted)}`)
  }
  // With a clock that runs 1 % fast, a location can count as silent although it reports a second before its silence would begin.
  if (world.plan.faults.some(fault => fault.kind === 'stepped clock')) return
  const earlyMs = slackOf(world, ['store gone'])
  for (const found of confirmed) {
    const endsAt = (found.closedAt ?? present) + earlyMs
    const isExplained = expected.some(
      wanted => wanted.troubleSince <= endsAt && (wanted.closedAt ?? endsAt) >= found.troubleSince - earlyMs,
    )
    if (!isExplained) fault(`incident ${found.number}, since ${seconds(found.troubleSince)}, has no trouble`)
  }
}

/** Returns the reports and settings of this subject as the outside world knows them, as input of the oracle. */
function toldOf(world: World, { subject, holds }: Remains): (Told & { reports: Report[] }) | null {
  const { ledger, time } = world
  const lived = livedBy(world)
  const settings = ledger.deals
    .filter(deal => deal.subjectId === subject.id && deal.reply?.view != null && deal.command.kind !== 'delete-subject')
    .map(deal => {
      const view = deal.reply!.view!
      return {
        at: lived(deal.command.kind === 'create-website' ? view.createdAt : view.updatedAt),
        check: view.check as WebsiteCheck,
        rev: view.rev,
      }
    })
    .sort((one, other) => one.rev - other.rev)
  if (settings.length === 0) return null
  const reports = ledger.reports
    .filter(report => report.subjectId === subject.id && report.slotAt < 1e13 && report.rev < 1_000_000)
    .map(report => ({ ...report, at: lived(report.at), takenAt: lived(report.takenAt) }))
  return { settings, reports, ...holds, until: lived(time.now()) }
}

/** Returns whether a command and a report arrived during one commit: they can be stepped in either order. */
function isAmbiguous({ ledger }: World, { subject }: Remains): boolean {
  return ledger.deals.some(deal => {
    const view = deal.reply?.view
    if (deal.subjectId !== subject.id || deal.command.kind !== 'update-website' || view == null) return false
    return ledger.reports.some(
      report =>
        report.subjectId === subject.id &&
        report.takenAt > view.updatedAt &&
        report.takenAt <= deal.answeredAt! &&
        report.rev < view.rev,
    )
  })
}

const seconds = (at: number | null) => (at === null ? '-' : ((at - startOfTime) / 1_000).toFixed(3))

function describe(incident: ExpectedIncident | undefined): string {
  if (incident === undefined) return 'none'
  const { troubleSince, confirmedAt, wellSince, closedAt, condition, status, messages } = incident
  return `${status}/${condition} since ${seconds(troubleSince)} confirmed ${seconds(confirmedAt)} well ${seconds(wellSince)} closed ${seconds(closedAt)} told [${messages}]`
}

const describeHistory = (history: ReturnType<typeof verdictHistory>) =>
  history
    .filter((entry, i) => entry.verdict !== history[i - 1]?.verdict)
    .map(entry => `${seconds(entry.at)} ${entry.verdict}`)
    .join(', ')
