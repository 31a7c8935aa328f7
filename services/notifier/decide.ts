// Choice of destinations for an alert among its workspace's, with a reason for each that is left out. Pure. Rules:
// docs/reference/v3.md, 10.3 to 10.6.
import type { AlertDocument, UntoldReason } from '#shared/contracts/alert.ts'
import type { DeliverySelection } from '#shared/contracts/delivery-table.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { defaultDestination } from '#shared/default-destination.ts'

export interface Decision {
  told: DestinationDocument[]
  leftOut: { destinationId: string; reason: UntoldReason }[]
  /** The reason if no destination gets the message; null if one does, or if nobody asked for an opening or an acknowledgement. */
  nobody: UntoldReason | null
}

/** Facts beside the alert from which its destinations are chosen. */
export interface Routing {
  /** Those of the alert's workspace; others are ignored. */
  destinations: readonly DestinationDocument[]
  /** The rows of its subject's delivery table. */
  selections: readonly DeliverySelection[]
  /** The subject was deleted meanwhile, or archived while the incident was open. */
  subjectGone: boolean
  /** The incident has been confirmed or closed: its opening is no news any more. */
  isOvertaken: boolean
  /** Destinations that got the opening of the incident, or may have. */
  openedAt: ReadonlySet<string>
}

type Asked = Pick<AlertDocument, 'workspaceId' | 'kind' | 'held'> & {
  facts: Pick<AlertDocument['facts'], 'confirmedAt' | 'routing'>
}

/** Whether a destination is to get a message, before reasons against the message are looked at. */
type Claim = 'asks' | 'not_opted_in' | 'not_routed'

interface Choice {
  /** False only of the workspace's default: without it nobody is named at all. */
  isNamed: boolean
  claimOf(destination: DestinationDocument): Claim
}

/**
 * The rule's routes, the rule's destination, the subject's rows, the workspace's default: the first of these that names a destination of the
 * workspace decides alone. A destination that got the opening gets the closing as well. A disabled destination keeps its place and sends
 * nothing.
 */
export function decide(alert: Asked, { destinations, selections, subjectGone, isOvertaken, openedAt }: Routing): Decision {
  const own = destinations.filter(({ workspaceId }) => workspaceId === alert.workspaceId)
  const choice = choiceOf(alert, own, selections)
  const told: DestinationDocument[] = []
  const leftOut: Decision['leftOut'] = []
  for (const destination of own) {
    const gotOpening = alert.kind === 'recovery' && openedAt.has(destination.id)
    const claim = gotOpening ? 'asks' : choice.claimOf(destination)
    const against = () => reasonAgainst(alert, { subjectGone, isOvertaken, gotOpening })
    const reason = claim === 'not_routed' ? claim : reasonOf(claim, destination, against)
    if (reason === null) told.push(destination)
    else leftOut.push({ destinationId: destination.id, reason })
  }
  return { told, leftOut, nobody: told.length > 0 ? null : reasonForNobody(alert, leftOut, choice.isNamed) }
}

function choiceOf(alert: Asked, own: readonly DestinationDocument[], selections: readonly DeliverySelection[]): Choice {
  const { kind, facts } = alert
  const routing = facts.routing ?? null
  const isThere = (id: string) => own.some(destination => destination.id === id)
  if (routing !== null && 'routes' in routing) {
    const living = routing.routes.filter(({ destination }) => isThere(destination))
    if (living.length > 0 || routing.routes.length === 0) return { isNamed: true, claimOf: byRoutes(kind, living) }
  }
  if (routing !== null && 'destination' in routing && isThere(routing.destination)) {
    return { isNamed: true, claimOf: withoutRoutes(kind, ({ id }) => id === routing.destination) }
  }
  const rows = selections.filter(({ destinationId }) => isThere(destinationId))
  if (rows.length > 0) {
    const wanted = kind === 'opened' ? 'problem' : kind
    const isSelected = (id: string) =>
      rows.some(row => row.destinationId === id && (row.alertKinds as readonly string[]).includes(wanted))
    return { isNamed: true, claimOf: withoutRoutes(kind, ({ id }) => isSelected(id)) }
  }
  const fallback = defaultDestination(own)
  return { isNamed: false, claimOf: withoutRoutes(kind, destination => destination === fallback) }
}

type Routes = Extract<NonNullable<AlertDocument['facts']['routing']>, { routes: unknown }>['routes']

/** An opening needs the route, and of a webhook `send_on_open` too. */
const byRoutes =
  (kind: Asked['kind'], routes: Routes) =>
  ({ id, type, sendOnOpen }: DestinationDocument): Claim => {
    if (!routes.some(({ destination, on }) => destination === id && on.includes(kind))) return 'not_routed'
    return kind === 'opened' && type === 'webhook' && !sendOnOpen ? 'not_opted_in' : 'asks'
  }

/** An opening goes to webhooks with `send_on_open` alone; an acknowledgement needs a route. */
const withoutRoutes =
  (kind: Asked['kind'], isUsual: (destination: DestinationDocument) => boolean) =>
  (destination: DestinationDocument): Claim => {
    if (kind === 'acknowledged' || !isUsual(destination)) return 'not_routed'
    return kind === 'opened' && !(destination.type === 'webhook' && destination.sendOnOpen) ? 'not_routed' : 'asks'
  }

function reasonOf(
  claim: Exclude<Claim, 'not_routed'>,
  { enabled }: DestinationDocument,
  against: () => UntoldReason | null,
): UntoldReason | null {
  if (!enabled) return 'destination_disabled'
  return claim === 'asks' ? against() : claim
}

type Against = Pick<Routing, 'subjectGone' | 'isOvertaken'> & { gotOpening: boolean }

/** The reason against the message itself; null: none. The end of an unconfirmed incident is sent only to who got its opening. */
function reasonAgainst({ kind, held, facts }: Asked, { subjectGone, isOvertaken, gotOpening }: Against): UntoldReason | null {
  if (subjectGone) return 'resource_gone'
  if (kind === 'opened' && isOvertaken) return 'confirmed_first'
  if (kind === 'recovery') return facts.confirmedAt === null && !gotOpening ? 'not_announced' : null
  return kind === 'acknowledged' ? null : held
}

function reasonForNobody({ kind }: Asked, leftOut: Decision['leftOut'], isNamed: boolean): UntoldReason | null {
  const spoken = leftOut.map(({ reason }) => reason).filter(reason => reason !== 'not_routed')
  const first = spoken.find(reason => reason !== 'destination_disabled') ?? spoken[0]
  if (first !== undefined) return first
  if (kind === 'opened' || kind === 'acknowledged') return null
  return isNamed ? 'not_routed' : 'no_destination'
}
