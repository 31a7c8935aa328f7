// Deliveries of a simulated Resource compared with the oracle, in a run without injected faults. Each row of the delivery log is expected
// at its exact instant, and each attempt is one request at its receiver. If a receiver has limited its rate (429), the pace of its messages
// depends on all messages to it, also on those of other subjects. Then the instants of messages that follow each other closely are not
// compared, but no message may reach the receiver within the pause that it requested (reference/messages 6.3).
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { Resource } from '../resource.ts'
import { checkDeliveries } from './check-struck.ts'
import { type Course, expectedRows, type Row } from './expected-rows.ts'
import { busySeconds, type Receivers } from './receivers.ts'
import { type StoredIncident, storedIncidentsOf } from './stored.ts'

/** Longest time from a keeper's decision to the choice of destinations, ms. */
const promptMs = 1_000
/** Pause that a busy receiver requests, ms. It is longer than the longest time between two messages that are sent one by one. */
const pauseMs = busySeconds * 1_000

/** Compares the rows up to `until`; later rows can be missing. Returns the number of compared rows. */
export async function checkToldExactly(resource: Resource, until: number): Promise<number> {
  let compared = 0
  checkPauses(resource)
  for (const stored of await storedIncidentsOf(resource)) {
    const { course, rows, alerts } = stored
    const isLate = ({ at, decidedAt }: Course['messages'][number]) => at > decidedAt + promptMs
    for (const { id, kind, at } of course.messages.filter(isLate)) resource.fault(`${id} ${kind} was chosen for at ${at}`)
    for (const { id, state, decidedAt } of alerts)
      if (state === 'open' && decidedAt < until) resource.fault(`${id} was never dispatched`)
    checkRequests(resource, stored)
    if (isCrossed(resource, course, rows)) continue
    const expected = expectedRows(course, until)
    const logged = rows.filter(({ at }) => at <= until).map(rowOf)
    if ([...expected, ...logged].some(row => isPaced(resource.house.receivers, row))) {
      compared += checkDeliveries(resource, stored, until)
      continue
    }
    const wanted = expected.map(describe).sort()
    const found = logged.map(describe).sort()
    compared += found.length
    for (const one of without(wanted, found)) resource.fault(`${stored.incident.id} lacks the delivery ${one}`)
    for (const one of without(found, wanted)) resource.fault(`${stored.incident.id} should not have the delivery ${one}`)
  }
  return compared
}

/** Returns true if somebody changed something at the exact instant of an attempt. The order of the change and the attempt is then open. */
function isCrossed(
  { house, facts }: Resource,
  { acknowledgedAt, archivedAt }: Course,
  rows: readonly DeliveryLogDocument[],
): boolean {
  const people = new Set([acknowledgedAt, archivedAt, ...facts.windows.flatMap(({ from, until }) => [from, until])])
  return rows.some(({ at, event }) => house.post.isChangedAt(at) || (event === 'reminder' && people.has(at)))
}

/**
 * Returns whether the pace of its destination can have delayed an attempt: the receiver has limited its rate, and it got another message
 * shortly before this attempt, or at the same instant.
 */
function isPaced(receivers: Receivers, { destination, at }: Row): boolean {
  const earlier = receivers.requests.filter(one => one.destination === destination && one.at <= at)
  const isClose = earlier.some(one => one.at < at && one.at > at - pauseMs) || earlier.filter(one => one.at === at).length > 1
  return isClose && earlier.some(one => receivers.fareAt(one.destination, one.at) === 'busy')
}

/** Checks that no message reached a receiver within the pause that it requested. */
function checkPauses(resource: Resource): void {
  const { receivers } = resource.house
  const last = new Map<string, number>()
  for (const { destination, at } of receivers.requests) {
    const from = last.get(destination)
    if (from !== undefined && at > from && at < from + pauseMs)
      resource.fault(`${destination} got a message at ${at}, in its pause`)
    if (receivers.fareAt(destination, at) === 'busy') last.set(destination, at)
  }
}

/** Checks that each attempt made one request, at the attempt's instant, with the delivery's key and the text of the message's kind. */
function checkRequests(resource: Resource, { deliveries, rows, alerts }: StoredIncident): void {
  for (const { id, alertId, idempotencyKey, destinationId } of deliveries) {
    const attempts = rows.filter(row => row.id.startsWith(`${id}.`) && row.status !== 'held').map(({ at }) => at)
    const requests = resource.house.receivers.requests.filter(({ key }) => key === idempotencyKey)
    const alert = alerts.find(one => one.id === alertId)
    if (requests.map(({ at }) => at).join() !== attempts.sort().join())
      resource.fault(`${id} was sent at ${requests.map(({ at }) => at)} instead of ${attempts}`)
    for (const { destination, body } of requests) {
      if (destination !== destinationId) resource.fault(`${id} reached ${destination}`)
      if (alert !== undefined && !isAbout(body, alert.kind, alert.facts.ruleKey))
        resource.fault(`${id} is not about its message: ${body}`)
    }
  }
}

/** Returns whether the body has the title of this kind of message (v3 10.7). */
function isAbout(body: string, kind: string, rule: string): boolean {
  const { title } = (JSON.parse(body) as { attachments: { title: string }[] }).attachments[0] as { title: string }
  const about = `Host: ${rule}`
  const titles: Record<string, string> = {
    opened: `${about} opened — Look.`,
    problem: `${about} — Look.`,
    recovery: `${about} is over`,
    acknowledged: `${about} — taken by Ada`,
  }
  return title === titles[kind]
}

const rowOf = ({ event, destinationId: destination, status, reason, at }: DeliveryLogDocument): Row => ({
  ...{ event, destination, status, reason, at },
})

const describe = ({ event, destination, status, reason, at }: Row): string => `${at} ${event} ${destination} ${status} ${reason}`

function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...some]
  return all.filter(one => {
    const i = left.indexOf(one)
    if (i >= 0) left.splice(i, 1)
    return i < 0
  })
}
