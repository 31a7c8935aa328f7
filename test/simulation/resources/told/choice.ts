// Destinations of one message, and the reasons why other destinations do not get the message (docs/reference/v3.md, 10.3 to 10.6, 6.4 and
// 6.7).
import type { Place, PostState } from './post.ts'

export interface Route {
  destination: string
  on: readonly string[]
}

/** Routes of the rule itself. */
export interface Naming {
  routes: readonly Route[] | null
  destination: string | null
}

export interface Message {
  /** Id of the alert. */
  id: string
  kind: 'opened' | 'problem' | 'no_data' | 'recovery' | 'acknowledged' | 'withdrawn'
  isReminder: boolean
  /** True if maintenance held the message back. */
  isHeld: boolean
  resourceId: string
  naming: Naming
}

/** State of the Incident when destinations are chosen. */
export interface Standing {
  isConfirmed: boolean
  isClosed: boolean
  /** True if the Resource was archived while the Incident was open. */
  isGone: boolean
  /** Destinations to which the message about the opening was or will be delivered. */
  openedAt: ReadonlySet<string>
}

export interface Choice {
  told: string[]
  /** `destination` null: no destination was chosen. */
  kept: { destination: string | null; reason: string }[]
}

export function choose(message: Message, { places, tables }: PostState, standing: Standing): Choice {
  const { kind, naming, resourceId } = message
  // Only alerts that stay open elsewhere are withdrawn, and no place of a simulation has any.
  if (kind === 'withdrawn') return { told: [], kept: [] }
  const isThere = (id: string) => places.some(place => place.id === id)
  const routes = naming.routes?.filter(({ destination }) => isThere(destination)) ?? []
  const isByRoutes = naming.routes !== null && (routes.length > 0 || naming.routes.length === 0)
  const rows = (tables.get(resourceId) ?? []).filter(({ destination }) => isThere(destination))
  const told: string[] = []
  const kept: Choice['kept'] = []
  for (const place of places) {
    const asking = isByRoutes ? askedByRoutes() : askedOtherwise()
    const isOwed = kind === 'recovery' && standing.openedAt.has(place.id)
    if (asking === 'no' && !isOwed) continue
    const reason = reasonAgainst(isOwed ? 'yes' : asking, place, isOwed)
    if (reason === null) told.push(place.id)
    else kept.push({ destination: place.id, reason })

    function askedByRoutes(): 'yes' | 'no' | 'not_opted_in' {
      if (!routes.some(({ destination, on }) => destination === place.id && on.includes(kind))) return 'no'
      return kind === 'opened' && place.type === 'webhook' && !place.sendOnOpen ? 'not_opted_in' : 'yes'
    }

    function askedOtherwise(): 'yes' | 'no' {
      if (kind === 'acknowledged' || (kind === 'opened' && !place.sendOnOpen)) return 'no'
      return isUsual(place, kind === 'opened' ? 'problem' : kind) ? 'yes' : 'no'
    }
  }
  if (told.length === 0 && kept.length === 0 && kind !== 'opened' && kind !== 'acknowledged') {
    const isNamed = isByRoutes || isRuleDestination() || rows.length > 0
    kept.push({ destination: null, reason: isNamed ? 'not_routed' : 'no_destination' })
  }
  return { told, kept }

  function isRuleDestination(): boolean {
    return naming.destination !== null && isThere(naming.destination)
  }

  function isUsual({ id, isDefault }: Place, wanted: string): boolean {
    if (isRuleDestination()) return id === naming.destination
    if (rows.length > 0) return rows.some(({ destination, kinds }) => destination === id && kinds.includes(wanted))
    return isDefault
  }

  function reasonAgainst(asking: string, { enabled }: Place, isOwed: boolean): string | null {
    if (!enabled) return 'destination_disabled'
    if (asking === 'not_opted_in') return asking
    if (standing.isGone) return 'resource_gone'
    if (kind === 'opened' && (standing.isConfirmed || standing.isClosed)) return 'confirmed_first'
    if (kind === 'recovery' && !standing.isConfirmed && !isOwed) return 'not_announced'
    const isHoldable = kind === 'opened' || kind === 'problem' || kind === 'no_data'
    return isHoldable && message.isHeld ? 'maintenance' : null
  }
}
