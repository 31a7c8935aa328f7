// Choice of an alert's destinations among the destinations of its workspace, with a reason for each skipped destination. Pure. Reference:
// docs/reference/v3.md, 10.3 to 10.6 and 10.15.
import { asksForOpenings, changesMessages, findChannel, staysOpen } from '#shared/channels/registry.ts'
import type { AlertDocument, AlertKind, SkipReason } from '#shared/contracts/incidents/alert.ts'
import type { DeliverySelection, DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { minute } from '#shared/limits/limits.ts'

export interface Chosen {
  destination: DestinationDocument
  /** Time after the first message of the incident at which the destination gets the message, ms; 0: it gets it at once. */
  afterMs: number
  /** Id of the destination that passes the message on; absent: the destination was chosen itself. */
  via?: string
}

export interface Decision {
  chosen: Chosen[]
  leftOut: { destinationId: string; reason: SkipReason }[]
  /**
   * Reason why no destination gets the message. Null: a destination gets the message, or the message is an opening or an acknowledgement
   * that no destination requested, or all destinations wait for an instant of their own.
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
  /** Destinations that got a message about the problem or the silence, or may have got it. Absent: none. */
  toldAt?: ReadonlySet<string>
  /** Destinations that got such a message by itself, or may have got it. Absent: none. */
  aloneAt?: ReadonlySet<string>
  /** Destinations with a step that is not due yet. Absent: none. */
  waitingAt?: ReadonlySet<string>
  /** Destinations where an alert of the incident was opened, or will be. Absent: none. */
  triggeredAt?: ReadonlySet<string>
  /** Destinations where an alert of the incident is open, or may be. Absent: none. */
  aliveAt?: ReadonlySet<string>
}

type ChosenFor = Pick<AlertDocument, 'workspaceId' | 'kind' | 'held'> & {
  reminder?: boolean
  facts: Pick<AlertDocument['facts'], 'confirmedAt' | 'routing'>
}

/** Decision by a destination's routes and options alone; `reasonAgainst` then checks the message itself. */
type Claim = 'asks' | 'not_opted_in' | 'not_routed'

interface Choice {
  /** False if neither a rule nor the delivery table names a destination, so that only the workspace's default may get the message. */
  isNamed: boolean
  claimOf(destination: DestinationDocument): Claim
  /** Time that the choice itself adds before the destination gets a first message, ms. */
  afterMsOf(destination: DestinationDocument): number
}

/** How a message comes to a destination. */
interface Way {
  claim: Exclude<Claim, 'not_routed'>
  afterMs: number
  via?: string
}

/**
 * Chooses the destinations by the first of these sources that names a destination of the workspace: the rule's routes, the rule's
 * destination, the subject's delivery table, the workspace's default. In the place of a destination that passes messages on stand those of
 * its steps. A destination that got the opening of an incident also gets its closing. A disabled destination counts as named but gets no
 * message.
 */
export function chooseDestinations(alert: ChosenFor, routing: Routing): Decision {
  const { destinations, selections } = routing
  const own = destinations.filter(({ workspaceId }) => workspaceId === alert.workspaceId)
  const choice = choiceOf(alert, own, selections)
  const { ways, closed } = waysOf(alert, own, choice)
  const chosen: Chosen[] = []
  const leftOut: Decision['leftOut'] = []
  for (const destination of own) {
    const { id } = destination
    const gotOpening = alert.kind === 'recovery' && routing.openedAt.has(id)
    const way: Way | undefined = gotOpening ? { claim: 'asks', afterMs: 0 } : ways.get(id)
    const reason = closed.has(id)
      ? 'destination_disabled'
      : staysOpen(destination.type)
        ? reasonWhereItStaysOpen(destination, way, alert, routing)
        : alert.kind === 'withdrawn'
          ? reasonOfWithdrawal(destination, routing)
          : reasonAt(destination, way, alert, routing, gotOpening)
    const { afterMs = 0, via } = way ?? {}
    // A reminder or an end comes at once where the first message came late.
    if (reason === null)
      chosen.push({ destination, afterMs: isFirst(alert) ? afterMs : 0, ...(via === undefined ? {} : { via }) })
    else leftOut.push({ destinationId: id, reason })
  }
  // Destinations that wait or stay open hear of later messages only if they got the first one.
  const mayBeSilent = own.some(({ id, type }) => (ways.get(id)?.afterMs ?? 0) > 0 || (staysOpen(type) && ways.has(id)))
  return { chosen, leftOut, nobody: chosen.length > 0 ? null : reasonForNobody(alert, leftOut, choice.isNamed, mayBeSilent) }
}

const isFirst = ({ kind, reminder = false }: ChosenFor): boolean => (kind === 'problem' || kind === 'no_data') && !reminder

/**
 * Returns how the message comes to each destination, by id, and the switched-off destinations that pass nothing on. A destination that is
 * named several times gets the message once, at the earliest instant.
 */
function waysOf(alert: ChosenFor, own: readonly DestinationDocument[], choice: Choice) {
  const ways = new Map<string, Way>()
  const closed = new Set<string>()
  const add = (id: string, way: Way) => {
    if (way.afterMs < (ways.get(id)?.afterMs ?? Number.POSITIVE_INFINITY)) ways.set(id, way)
  }
  for (const destination of own) {
    const claim = choice.claimOf(destination)
    if (claim === 'not_routed') continue
    const afterMs = choice.afterMsOf(destination)
    const steps = findChannel(destination.type)?.stepsOf?.(destination.settings ?? {})
    if (steps === undefined) add(destination.id, { claim, afterMs })
    else if (!destination.enabled) closed.add(destination.id)
    else
      for (const step of steps) {
        const next = own.find(({ id }) => id === step.destination)
        const isLate = alert.kind === 'opened' && afterMs + step.after_minutes > 0
        if (next === undefined || isLate) continue
        const asks = alert.kind === 'opened' ? openingClaim(next) : claim
        add(next.id, { claim: asks, afterMs: afterMs + step.after_minutes * minute, via: destination.id })
      }
  }
  return { ways, closed }
}

/** Whether a message of this kind changes or ends what an earlier one opened. */
export const isOfEnd = (kind: AlertKind): boolean => kind === 'acknowledged' || kind === 'recovery' || kind === 'withdrawn'

/** What is withdrawn takes an earlier message away, where one went out by itself and can be changed. */
const reasonOfWithdrawal = ({ id, type, enabled }: DestinationDocument, { aloneAt }: Routing): SkipReason | null =>
  enabled && changesMessages(type) && aloneAt?.has(id) ? null : 'not_routed'

/**
 * Like `reasonAt`, for a destination where an alert stays open until it is ended. What changes or ends it goes where it may be open, whatever
 * routes and switches say by now. No opening goes there, and a reminder only if it opens the alert.
 */
function reasonWhereItStaysOpen(
  destination: DestinationDocument,
  way: Way | undefined,
  alert: ChosenFor,
  routing: Routing,
): SkipReason | null {
  const { id } = destination
  if (isOfEnd(alert.kind)) return routing.aliveAt?.has(id) ? null : 'not_routed'
  if (way === undefined || (alert.reminder && routing.triggeredAt?.has(id))) return 'not_routed'
  return alert.kind === 'opened' ? 'not_opted_in' : reasonAt(destination, way, alert, routing, false)
}

/** Returns the reason why a destination does not get the message; null: it gets it. `way` undefined: the message does not come to it. */
function reasonAt(
  destination: DestinationDocument,
  way: Way | undefined,
  alert: ChosenFor,
  routing: Routing,
  gotOpening: boolean,
): SkipReason | null {
  if (way === undefined) return 'not_routed'
  const against = () => reasonAgainst(alert, { ...routing, gotOpening })
  if (way.afterMs === 0) return reasonOf(way.claim, destination, against)
  const { id } = destination
  if (isFirst(alert)) {
    // What maintenance holds makes no steps. Whether the destination is switched on matters at the instant of the step.
    return alert.held === null ? against() : 'not_routed'
  }
  if (routing.toldAt?.has(id)) return reasonOf(way.claim, destination, against)
  return alert.reminder && routing.waitingAt?.has(id) ? 'not_due' : 'not_routed'
}

function choiceOf(alert: ChosenFor, own: readonly DestinationDocument[], selections: readonly DeliverySelection[]): Choice {
  const { kind, facts } = alert
  const routing = facts.routing ?? null
  const isThere = (id: string) => own.some(destination => destination.id === id)
  if (routing !== null && 'routes' in routing) {
    const living = routing.routes.filter(({ destination }) => isThere(destination))
    if (living.length > 0 || routing.routes.length === 0)
      return { isNamed: true, claimOf: byRoutes(kind, living), afterMsOf: afterMsIn(living) }
  }
  if (routing !== null && 'destination' in routing && isThere(routing.destination)) {
    return { isNamed: true, claimOf: withoutRoutes(kind, ({ id }) => id === routing.destination), afterMsOf: atOnce }
  }
  const rows = selections.filter(({ destinationId }) => isThere(destinationId))
  if (rows.length > 0) {
    const wanted = kind === 'opened' ? 'problem' : kind
    const isSelected = (id: string) =>
      rows.some(row => row.destinationId === id && (row.alertKinds as readonly string[]).includes(wanted))
    return { isNamed: true, claimOf: withoutRoutes(kind, ({ id }) => isSelected(id)), afterMsOf: atOnce }
  }
  const fallback = defaultDestination(own)
  return { isNamed: false, claimOf: withoutRoutes(kind, destination => destination === fallback), afterMsOf: atOnce }
}

const atOnce = () => 0

type Routes = Extract<NonNullable<AlertDocument['facts']['routing']>, { routes: unknown }>['routes']

/** A destination gets an opening only if the route requests openings; a type with the setting `send_on_open` also needs this setting. */
const byRoutes =
  (kind: ChosenFor['kind'], routes: Routes) =>
  (destination: DestinationDocument): Claim => {
    const isRouted = routes.some(({ destination: id, on }) => id === destination.id && on.some(one => one === kind))
    if (!isRouted) return 'not_routed'
    return kind === 'opened' ? openingClaim(destination) : 'asks'
  }

const afterMsIn =
  (routes: Routes) =>
  ({ id }: DestinationDocument): number =>
    (routes.find(({ destination }) => destination === id)?.afterMinutes ?? 0) * minute

/** What a destination says to an opening that a route sends to it. */
const openingClaim = ({ type, sendOnOpen }: DestinationDocument): Way['claim'] =>
  asksForOpenings(type) && !sendOnOpen ? 'not_opted_in' : 'asks'

/** Without a route, an opening goes only to destinations with `send_on_open`, and an acknowledgement to no destination. */
const withoutRoutes =
  (kind: ChosenFor['kind'], isUsual: (destination: DestinationDocument) => boolean) =>
  (destination: DestinationDocument): Claim => {
    if (kind === 'acknowledged' || kind === 'withdrawn' || !isUsual(destination)) return 'not_routed'
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

function reasonForNobody(
  alert: ChosenFor,
  leftOut: Decision['leftOut'],
  isNamed: boolean,
  mayBeSilent: boolean,
): SkipReason | null {
  const { kind, held } = alert
  const spoken = leftOut.map(({ reason }) => reason).filter(reason => reason !== 'not_routed')
  const first = spoken.find(reason => reason !== 'destination_disabled') ?? spoken[0]
  if (first !== undefined) return first
  if (kind === 'opened' || kind === 'acknowledged' || kind === 'withdrawn') return null
  if (mayBeSilent) return isFirst(alert) ? held : null
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
