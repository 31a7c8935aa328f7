// Deliveries of a simulated Resource in a run with injected faults. The choice of destinations is exact, unless people changed destinations
// while the message waited. Every delivery ends. Each request has its row in the log unless the notifier died. Messages of an Incident keep
// their order. No message goes to a disabled destination, or concerns an acknowledged Incident or an archived Resource.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { Resource } from '../resource.ts'
import { type Choice, choose, type Standing } from './choice.ts'
import type { Dispatched } from './expected-rows.ts'
import type { Post } from './post.ts'
import { type StoredIncident, storedIncidentsOf } from './stored.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Longest time from a claim of a delivery to the request, and from a change until notifiers read the change, ms. */
const promptMs = 3 * second
/** When a keeper dies during an archive, the Incident is closed only after the next keeper's take-over. */
const takenOverMs = 90 * second

/**
 * Checks the deliveries of messages that a keeper decided to send up to `until`; later messages can still be in delivery. Returns the
 * numbers of checked deliveries and rows.
 */
export async function checkToldStruck(resource: Resource, until: number): Promise<number> {
  const all = await storedIncidentsOf(resource)
  return all.reduce((compared, stored) => compared + checkDeliveries(resource, stored, until), 0)
}

/** Checks the deliveries of one Incident without their instants. Returns the number of checked rows. */
export function checkDeliveries(resource: Resource, stored: StoredIncident, until: number): number {
  for (const [i, alert] of stored.alerts.entries()) {
    if (alert.decidedAt >= until) continue
    if (alert.state === 'open') resource.fault(`${alert.id} was never dispatched`)
    else
      checkChoice(resource.house.post, stored, { alert, message: stored.course.messages[i] as Dispatched }, text =>
        resource.fault(text),
      )
  }
  for (const delivery of stored.deliveries) checkAttempts(resource, stored, delivery, until)
  checkOrder(resource, stored)
  return stored.rows.length
}

function checkChoice(
  post: Post,
  stored: StoredIncident,
  { alert, message }: { alert: AlertDocument; message: Dispatched },
  fault: (text: string) => void,
): void {
  const made = stored.deliveries.filter(({ alertId }) => alertId === alert.id).map(({ destinationId }) => destinationId)
  const kept = stored.rows
    .filter(({ id }) => id.startsWith(`${alert.id}.`) && id.endsWith('.kept'))
    .map(({ destinationId, reason }) => `${destinationId} ${reason}`)
    .filter(one => !made.includes(one.split(' ')[0] as string))
  const states = post.statesBetween(message.at - promptMs, message.at + promptMs)
  const ways = states.flatMap(state => standingsOf(stored, alert).map(standing => choose(message, state, standing)))
  const told = (way: Choice) => way.told
  const words = (way: Choice) => way.kept.map(({ destination, reason }) => `${destination} ${reason}`)
  const what = `${alert.id} ${alert.kind} of ${message.at}`
  compare(made, ways.map(told), one => fault(`${what}: a delivery to ${one}`))
  compare(kept, ways.map(words), one => fault(`${what}: kept back from ${one}`))
}

/** Checks that each found delivery occurs in at least one of `ways`, and that a delivery that occurs in all `ways` was found. */
function compare(found: readonly string[], ways: readonly (readonly string[])[], fault: (text: string) => void): void {
  for (const one of found) if (!ways.some(way => way.includes(one))) fault(`${one} should not be`)
  for (const one of ways[0] ?? []) if (!found.includes(one) && ways.every(way => way.includes(one))) fault(`${one} is missing`)
}

function standingsOf({ incident, deliveries, course }: StoredIncident, { kind }: AlertDocument): Standing[] {
  const openings = deliveries.filter(({ alertKind }) => alertKind === 'opened')
  const at = (some: DeliveryDocument[]) => new Set(some.map(({ destinationId }) => destinationId))
  const got = at(openings.filter(({ snapshot }) => snapshot.value === 'delivered'))
  const mayHave = at(openings.filter(({ snapshot }) => snapshot.context.attempts > 0))
  const isConfirmed = incident.confirmedAt !== null
  const overtaken = kind === 'opened' && (isConfirmed || course.endedAt !== null) ? [false, true] : [isConfirmed]
  const gone = course.archivedAt !== null ? [false, true] : [false]
  return overtaken.flatMap(isOvertaken =>
    gone.flatMap(isGone =>
      [got, mayHave].map(openedAt => ({ isConfirmed: isOvertaken, isClosed: isOvertaken, isGone, openedAt })),
    ),
  )
}

function checkAttempts(resource: Resource, { rows, course }: StoredIncident, delivery: DeliveryDocument, until: number): void {
  const { house } = resource
  const { id, idempotencyKey, open, createdAt, decidedAt = createdAt, destinationId, snapshot } = delivery
  const own = rows.filter(row => row.id.startsWith(`${id}.`))
  const attempts = own.filter(({ status }) => status !== 'held')
  const requests = house.receivers.requests.filter(({ key }) => key === idempotencyKey)
  const deaths = house.notifiers.deaths.filter(at => at >= createdAt).length
  if (open === 1 && Math.max(decidedAt + 2 * hour, createdAt + hour) + takenOverMs < until) resource.fault(`${id} never ends`)
  if (snapshot.value === 'delivered' && !own.some(({ status }) => status === 'delivered')) resource.fault(`${id} has no row`)
  if (requests.length < attempts.length || requests.length > attempts.length + deaths)
    resource.fault(`${id} was sent ${requests.length} times, and has ${attempts.length} rows after ${deaths} deaths`)
  for (const { at } of requests) {
    const places = house.post.statesBetween(at - promptMs, at).map(({ places }) => places.find(one => one.id === destinationId))
    if (!places.some(place => place?.enabled)) resource.fault(`${id} was sent at ${at} to a destination that is off`)
    const { acknowledgedAt, archivedAt } = course
    if (delivery.reminder && acknowledgedAt !== null && at > acknowledgedAt + promptMs)
      resource.fault(`${id} reminds at ${at} of what was taken on`)
    if (archivedAt !== null && at > archivedAt + takenOverMs) resource.fault(`${id} was sent at ${at}, after the archive`)
  }
}

/** Checks the order of messages. A message about an opening waits for no other message, and no message waits for it. */
function checkOrder({ house, facts }: Resource, { deliveries }: StoredIncident): void {
  const inOrder = deliveries.filter(({ alertKind }) => alertKind !== 'opened').sort((one, other) => one.number - other.number)
  const sentAt = ({ idempotencyKey }: DeliveryDocument) =>
    house.receivers.requests.filter(({ key }) => key === idempotencyKey).map(({ at }) => at)
  for (const [i, later] of inOrder.entries())
    for (const earlier of inOrder.slice(0, i))
      if (earlier.destinationId === later.destinationId && Math.max(...sentAt(earlier)) > Math.min(...sentAt(later)))
        house.faults.push(`${facts.id}: ${later.id} overtook ${earlier.id}`)
}
