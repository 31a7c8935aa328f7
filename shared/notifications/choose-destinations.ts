// Choice of an alert's destinations among the destinations of its workspace, with a reason for each skipped destination. Pure. Reference:
// docs/reference/v3.md, 10.3 to 10.6.
import { asksForOpenings } from '#shared/channels/registry.ts'
import type { AlertDocument, SkipReason } from '#shared/contracts/incidents/alert.ts'
import type { DeliverySelection, DestinationDocument } from '#shared/contracts/notifications/destination.ts'

export interface Decision {
  chosen: DestinationDocument[]
  leftOut: { destinationId: string; reason: SkipReason }[]
  /**
   * Reason why no destination gets the message. Null: a destination gets the message, or the message is an opening or an acknowledgement
   * that no destination requested.
   */
  nobody: SkipReason | null
}

/** Facts that decide about the destinations, besides the alert. */
export interface Routing {
  /** Destinations of the alert's workspace; destinations of other workspaces are ignored. */
  destinations: readonly DestinationDocument[]
  /** Rows of the subject's delivery table. */
  selections: readonly DeliverySelection[]
  /** True if the subject was deleted after the alert was decided, or was archived while the incident was open. */
  subjectGone: boolean
  /** True if the incident has been confirmed or closed, so that its opening is out of date. */
  isOvertaken: boolean
  /** Destinations that got the opening of the incident, or may have got it. */
  openedAt: ReadonlySet<string>
}

type ChosenFor = Pick<AlertDocument, 'workspaceId' | 'kind' | 'held'> & {
  facts: Pick<AlertDocument['facts'], 'confirmedAt' | 'routing'>
}

/** Decision by a destination's routes and options alone; `reasonAgainst` then checks the message itself. */
type Claim = 'asks' | 'not_opted_in' | 'not_routed'

interface Choice {
  /** False if neither a rule nor the delivery table names a destination, so that only the workspace's default may get the message. */
  isNamed: boolean
  claimOf(destination: DestinationDocument): Claim
}

/**
 * Chooses the destinations by the first of these sources that names a destination of the workspace: the rule's routes, the rule's
 * destination, the subject's delivery table, the workspace's default. A destination that got the opening of an incident also gets its
 * closing. A disabled destination counts as named but gets no message.
 */
export function chooseDestinations(
  alert: ChosenFor,
  { destinations, selections, subjectGone, isOvertaken, openedAt }: Routing,
): Decision {
  const own = destinations.filter(({ workspaceId }) => workspaceId === alert.workspaceId)
  const choice = choiceOf(alert, own, selections)
  const chosen: DestinationDocument[] = []
  const leftOut: Decision['leftOut'] = []
  for (const destination of own) {
    const gotOpening = alert.kind === 'recovery' && openedAt.has(destination.id)
    const claim = gotOpening ? 'asks' : choice.claimOf(destination)
    const against = () => reasonAgainst(alert, { subjectGone, isOvertaken, gotOpening })
    const reason = claim === 'not_routed' ? claim : reasonOf(claim, destination, against)
    if (reason === null) chosen.push(destination)
    else leftOut.push({ destinationId: destination.id, reason })
  }
  return { chosen, leftOut, nobody: chosen.length > 0 ? null : reasonForNobody(alert, leftOut, choice.isNamed) }
}

function choiceOf(alert: ChosenFor, own: readonly DestinationDocument[], selections: readonly DeliverySelection[]): Choice {
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

/** A destination gets an opening only if the route requests openings; a type with the setting `send_on_open` also needs this setting. */
const byRoutes =
  (kind: ChosenFor['kind'], routes: Routes) =>
  ({ id, type, sendOnOpen }: DestinationDocument): Claim => {
    if (!routes.some(({ destination, on }) => destination === id && on.includes(kind))) return 'not_routed'
    return kind === 'opened' && asksForOpenings(type) && !sendOnOpen ? 'not_opted_in' : 'asks'
  }

/** Without a route, an opening goes only to destinations with `send_on_open`, and an acknowledgement to no destination. */
const withoutRoutes =
  (kind: ChosenFor['kind'], isUsual: (destination: DestinationDocument) => boolean) =>
  (destination: DestinationDocument): Claim => {
    if (kind === 'acknowledged' || !isUsual(destination)) return 'not_routed'
    return kind === 'opened' && !(asksForOpenings(destination.type) && destination.sendOnOpen) ? 'not_routed' : 'asks'
  }

function reasonOf(
  claim: Exclude<Claim, 'not_routed'>,
  { enabled }: DestinationDocument,
  against: () => SkipReason | null,
): SkipReason | null {
  if (!enabled) return 'destination_disabled'
  return claim === 'asks' ? against() : claim
}

type Against = Pick<Routing, 'subjectGone' | 'isOvertaken'> & { gotOpening: boolean }

/**
 * Returns the reason to skip the destination; null: there is none. The closing of an unconfirmed incident goes only to destinations that
 * got the opening.
 */
function reasonAgainst({ kind, held, facts }: ChosenFor, { subjectGone, isOvertaken, gotOpening }: Against): SkipReason | null {
  if (subjectGone) return 'resource_gone'
  if (kind === 'opened' && isOvertaken) return 'confirmed_first'
  if (kind === 'recovery') return facts.confirmedAt === null && !gotOpening ? 'not_announced' : null
  return kind === 'acknowledged' ? null : held
}

function reasonForNobody({ kind }: ChosenFor, leftOut: Decision['leftOut'], isNamed: boolean): SkipReason | null {
  const spoken = leftOut.map(({ reason }) => reason).filter(reason => reason !== 'not_routed')
  const first = spoken.find(reason => reason !== 'destination_disabled') ?? spoken[0]
  if (first !== undefined) return first
  if (kind === 'opened' || kind === 'acknowledged') return null
  return isNamed ? 'not_routed' : 'no_destination'
}

type Marked = Pick<DestinationDocument, 'default' | 'defaultAt' | 'number'>

/**
 * Returns the workspace's default: the destination that was marked last as default; undefined: none. A new mark is written before older
 * marks are cleared, so the workspace always has a default.
 */
export function defaultDestination<D extends Marked>(destinations: readonly D[]): D | undefined {
  return destinations
    .filter(destination => destination.default)
    .reduce<D | undefined>((last, one) => (last === undefined || isLater(one, last) ? one : last), undefined)
}

/** Returns the instant of the mark, ms since the epoch; 0: not marked. */
export const markedAt = ({ defaultAt }: Marked): number => defaultAt ?? 0

const isLater = (one: Marked, other: Marked): boolean =>
  markedAt(one) > markedAt(other) || (markedAt(one) === markedAt(other) && one.number > other.number)
