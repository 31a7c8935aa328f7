// Checks of a simulated world at rest, after any events.
import { initialTransition, transition } from 'xstate'
import { incidentMachine } from '#machines/incident.ts'
import type { IncidentEvent } from '#machines/incident-types.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { second } from '#shared/limits/limits.ts'
import { tagsOf } from '#shared/subjects/subject-tags.ts'
import { subjectTagId } from '#shared/text/ids.ts'
import { allEntries } from '../support/check-entries.ts'
import { compareWithOracle } from './judged/compare.ts'
import type { Remains } from './judged/remains.ts'
import { isToldToAll } from './judged/told-to-all.ts'
import { findUnwritten } from './watched-store.ts'
import type { World } from './world.ts'

/** Checks everything and adds each fault to the world's problems. */
export async function checkEnd(world: World): Promise<void> {
  const { plan, ledger, people, probers } = world
  if (people.busy() > 0) world.fault(`${people.busy()} commands were never answered`)
  if (probers.some(prober => prober.unsent() > 0)) world.fault('a prober still holds reports')
  for (const deal of ledger.deals) {
    const isCreate = deal.command.kind === 'create-website'
    if (isCreate && deal.reply?.view === null) world.fault(`the create of ${deal.subjectId} was refused: ${deal.reply.error}`)
  }
  for (const sentence of await findUnwritten(
    world.store,
    ledger.reports.filter(report => report.stream === ledger.stream && !report.isLost),
  )) {
    world.fault(`at the end ${sentence}`)
  }
  await checkPartitions(world)
  await checkAssignments(world)
  const living: SubjectDocument[] = []
  for (const { subjectId } of plan.sites) {
    const remains = await remainsOf(world, subjectId)
    if (remains === null) continue
    if (remains.subject.deletedAt === null) living.push(remains.subject)
    checkRemains(world, remains)
    await checkTags(world, remains.subject)
  }
  const slugs = living.map(subject => subject.slug)
  if (new Set(slugs).size < slugs.length) world.fault(`two living subjects share a slug: ${slugs}`)
}

async function remainsOf({ store, plan }: World, subjectId: string): Promise<Remains | null> {
  const [subject] = await store.get('subjects', [subjectId])
  if (!subject) return null
  const where = { subjectId }
  const limit = 10_000
  const incidents = await store.find('incidents', { where, limit })
  const history = await store.find('history', { where, limit })
  const alerts = await store.find('alerts', { where, limit })
  const { confirm_after, recover_after } = plan.sites.find(site => site.subjectId === subjectId)!.check
  const holds = {
    confirmAfterMs: confirm_after === null ? plan.holds.confirmAfterMs : confirm_after * second,
    closeAfterMs: recover_after === null ? plan.holds.closeAfterMs : recover_after * second,
  }
  return {
    subject,
    incidents: incidents.sort((one, other) => one.number - other.number),
    history: history.sort((one, other) => one.sequence - other.sequence),
    alerts: alerts.sort((one, other) => one.number - other.number),
    holds,
  }
}

function checkRemains(world: World, remains: Remains): void {
  const { subject, incidents, history, alerts } = remains
  const fault = (text: string) => world.fault(`subject ${subject.id}: ${text}`)
  if (subject.hasOutbox !== 0 || subject.outbox.length > 0) fault(`still has ${subject.outbox.length} pending`)
  if (subject.deletedAt !== null) {
    const left = incidents.length + history.length + alerts.filter(isToldToAll).length
    if (left > 0 && !hasLateWrites(world)) fault(`was deleted and left ${left} documents`)
    return
  }
  incidents.forEach((incident, i) => {
    if (incident.number !== i + 1) fault(`incident ${incident.number} is the ${i + 1}.`)
    const before = incidents[i - 1]
    if (before?.closedAt === null) fault(`incident ${incident.number} opened while ${before.number} is open`)
    if (before?.closedAt != null && before.closedAt > incident.troubleSince)
      fault(`incident ${incident.number} began before ${before.number} closed`)
    checkIncident(remains, incident, fault)
  })
  if (subject.incidents !== incidents.length) fault(`counts ${subject.incidents} incidents, ${incidents.length} are stored`)
  checkOpen(world, remains, fault)
  compareWithOracle(world, remains, fault)
}

/** Checks that the stored tags equal those of the subject document, whatever was written late or twice. */
async function checkTags({ store, fault }: World, subject: SubjectDocument): Promise<void> {
  const found = await store.find('subjectTags', { where: { gone: 0 }, limit: 10_000 })
  const stored = found.map(({ id }) => id).filter(id => id.endsWith(`/${subject.id}`))
  const expected = tagsOf(subject).map(tag => subjectTagId(subject.workspaceId, tag, subject.id))
  if (stored.sort().join() !== expected.sort().join())
    fault(`subject ${subject.id}: ${stored.length} tags are stored, it has ${expected.length}, or others`)
}

/** A store write that failed with `unavailable` may take effect seconds later, after its subject was removed. */
const hasLateWrites = ({ plan }: World) => plan.faults.some(fault => fault.kind === 'flaky store' && fault.which % 2 === 0)

/** Checks that no incident is stuck: after a time of health all incidents are closed, after a time of failure one is open and confirmed. */
function checkOpen({ plan }: World, { subject, incidents }: Remains, fault: (text: string) => void): void {
  const open = incidents.filter(incident => incident.open === 1)
  const held = subject.rules[0]?.incident ?? null
  if ((held?.context.incidentId ?? null) !== (open[0]?.id ?? null))
    fault(`holds incident ${held?.context.incidentId}, open is ${open[0]?.id}`)
  if (held !== null && open[0] !== undefined) {
    const { troubleSince, confirmedAt, wellSince, condition } = held.context
    const same = { troubleSince, confirmedAt, wellSince, condition }
    for (const [field, value] of Object.entries(same)) {
      if (open[0][field as keyof typeof same] !== value)
        fault(`its incident document says ${field} ${open[0][field as keyof typeof same]}, its snapshot ${value}`)
    }
  }
  if (subject.check?.locations.length === 0) {
    if (open[0]?.confirmedAt == null || open[0].condition !== 'no_data') fault('nothing checks it and no incident says so')
    return
  }
  if (plan.ending === 'ok' && open.length > 0)
    fault(`incident ${open[0]?.number} is still ${open[0]?.status} after a time of health`)
  if (plan.ending === 'failing' && open[0]?.status !== 'problem')
    fault(`fails for minutes, and its incident is ${open[0]?.status ?? 'missing'}`)
}

/** Checks that the history has no gaps, and that its replay through the state machine gives the stored incident and alerts. */
function checkIncident({ history, alerts, holds }: Remains, incident: IncidentDocument, report: (text: string) => void): void {
  const fault = (text: string) => report(`incident ${incident.number}: ${text}`)
  const entries = history.filter(entry => entry.incidentId === incident.id)
  const told = alerts.filter(alert => alert.incidentId === incident.id)
  const first = entries[0]
  if (first === undefined) {
    fault('has no history')
    return
  }
  for (const [i, entry] of entries.entries())
    if (entry.sequence !== i + 1) fault(`history entry ${entry.sequence} is the ${i + 1}.`)
  for (const [i, alert] of told.entries()) if (alert.number !== i + 1) fault(`alert ${alert.number} is the ${i + 1}.`)

  const input = {
    incidentId: incident.id,
    ruleKey: incident.ruleKey,
    at: first.event.at,
    condition: first.condition as 'problem',
    ...holds,
  }
  let [snapshot] = initialTransition(incidentMachine, input)
  const ordered: string[] = []
  for (const [i, entry] of entries.entries()) {
    if (i > 0) {
      const [next, orders] = transition(incidentMachine, snapshot, entry.event as unknown as IncidentEvent)
      snapshot = next
      for (const order of orders) {
        const { kind, reminder } = order.params as { kind: string; reminder: boolean }
        if (order.type === 'announce') ordered.push(reminder ? 'reminder' : kind)
      }
    }
    if (snapshot.value !== entry.state)
      fault(`replayed to entry ${entry.sequence} it is ${snapshot.value}, stored is ${entry.state}`)
    if (snapshot.context.deadlineAt !== entry.deadlineAt) fault(`replayed to entry ${entry.sequence} its deadline is another`)
  }
  const { troubleSince, confirmedAt, wellSince, closedAt, condition, closedReason } = snapshot.context
  for (const [field, value] of Object.entries({ troubleSince, confirmedAt, wellSince, closedAt, condition, closedReason })) {
    const stored = incident[field as keyof IncidentDocument]
    if (stored !== value) fault(`replayed, ${field} is ${value}; stored is ${stored}`)
  }
  const sent = told.map(alert => (alert.reminder ? 'reminder' : alert.kind))
  if (sent.join() !== ordered.join()) fault(`its history orders [${ordered}], told was [${sent}]`)
  checkMessages(sent, incident, fault)
}

/** Checks that the messages sent so far are a possible sequence of messages about an incident. */
function checkMessages(sent: readonly string[], incident: IncidentDocument, fault: (text: string) => void): void {
  const said = sent.join(' ')
  if (!/^(|(no_data )?(problem|no_data)( reminder)*( recovery)?|no_data problem( reminder)*( recovery)?)$/.test(said))
    fault(`told was [${said}]`)
  if ((incident.confirmedAt === null) !== (sent.length === 0)) fault(`confirmed at ${incident.confirmedAt}, told was [${said}]`)
  if (incident.confirmedAt !== null && (incident.closedAt !== null) !== said.endsWith('recovery'))
    fault(`closed at ${incident.closedAt}, told was [${said}]`)
}

async function checkPartitions(world: World): Promise<void> {
  const { store, ledger, partitions } = world
  for (const partition of partitions) {
    const [checkpoint] = await store.get('checkpoints', [keys.lease(partition)])
    const last = ledger.reports.findLast(
      report => report.partition === partition && report.stream === ledger.stream && !report.isLost && !report.isReused,
    )
    // After a stream has lost its newest messages, a keeper continues at the instant of its checkpoint, so a last report from before this
    // instant counts as judged.
    if (last === undefined || (checkpoint && last.takenAt <= checkpoint.messageAt)) continue
    if (!checkpoint || checkpoint.streamCreatedAt !== ledger.stream || checkpoint.sequence < last.sequence) {
      world.fault(`partition ${partition} stands at ${checkpoint?.sequence} of ${last.sequence}`)
    }
  }
}

/** Checks that the check entries agree with the subjects. */
async function checkAssignments(world: World): Promise<void> {
  const entries = await allEntries(world.observer)
  const stored = new Map([...entries].map(([key, { rev }]) => [key, rev]))
  for (const { subjectId } of world.plan.sites) {
    const [subject] = await world.store.get('subjects', [subjectId])
    if (!subject || subject.deletedAt !== null) continue
    for (const location of subject.check?.locations ?? []) {
      const key = keys.check(location, subjectId)
      if (stored.get(key) !== subject.checkRev)
        world.fault(`check entry ${key} has rev ${stored.get(key)}, its subject ${subject.checkRev}`)
      stored.delete(key)
    }
  }
  for (const key of stored.keys()) world.fault(`check entry ${key} belongs to nothing`)
}
