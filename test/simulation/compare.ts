// Holds what a keeper did against the oracle. This is the one place that says what may differ, and why.
import type { WebsiteMeta } from '#shared/contracts/website.ts'
import type { Remains } from './end.ts'
import { type ExpectedIncident, incidentsOf, type Told, verdictHistory } from './oracle.ts'
import { startOfTime } from './virtual-time.ts'
import type { World } from './world.ts'

export function compareWithOracle(world: World, remains: Remains, fault: (text: string) => void): void {
  const { subject, incidents, alerts } = remains
  const told = toldOf(world, remains)
  if (told === null) return
  const history = verdictHistory(told)
  const expected = incidentsOf(history, told)
  if (world.plan.profile === 'rough' || isAmbiguous(world, remains)) return
  if (world.plan.profile === 'steady' && history.some(entry => entry.cause === 'silence')) return
  const actual: ExpectedIncident[] = incidents.map(incident => ({
    troubleSince: incident.troubleSince,
    confirmedAt: incident.confirmedAt,
    wellSince: incident.wellSince,
    closedAt: incident.closedAt,
    condition: incident.condition,
    status: incident.status,
    messages: alerts.filter(alert => alert.incidentId === incident.id).map(alert => (alert.reminder ? 'reminder' : alert.kind)),
  }))
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const [wanted, found] = [describe(expected[i]), describe(actual[i])]
    if (wanted !== found) return fault(`incident ${i + 1} should be ${wanted}, is ${found}; verdicts ${describeHistory(history)}`)
  }
  void subject
}

/** All that the outside knows of this subject. */
export function toldOf({ ledger, time, plan }: World, { subject, holds }: Remains): Told | null {
  const settings = ledger.deals
    .filter(deal => deal.subjectId === subject.id && deal.reply?.view != null && deal.command.kind !== 'delete-subject')
    .map(deal => {
      const view = deal.reply!.view!
      return { at: deal.command.kind === 'create-website' ? view.createdAt : view.updatedAt, meta: view.meta as WebsiteMeta, rev: view.rev }
    })
    .sort((one, other) => one.rev - other.rev)
  if (settings.length === 0) return null
  void plan
  const reports = ledger.reports.filter(report => report.subjectId === subject.id && report.slotAt < 1e13 && report.rev < 1_000_000)
  return { settings, reports, ...holds, until: time.now() }
}

/** A command and a report that meet while a commit runs may be stepped in either order. */
function isAmbiguous({ ledger }: World, { subject }: Remains): boolean {
  return ledger.deals.some(deal => {
    const view = deal.reply?.view
    if (deal.subjectId !== subject.id || deal.command.kind !== 'update-website' || view == null) return false
    return ledger.reports.some(
      report => report.subjectId === subject.id && report.takenAt > view.updatedAt && report.takenAt <= deal.answeredAt! && report.rev < view.rev,
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
