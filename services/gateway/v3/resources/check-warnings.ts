// Warnings about the checks of a Resource that was created or changed: Locations that cannot make them, have no prober, or are nearly full.
// A warning refuses nothing. Reference: docs/reference/v3.md, 6.12.
import { headerOfWarnings, type Warning, warningsHeader } from '#shared/api-v3/warnings.ts'
import { kindWord } from '#shared/checks/abilities.ts'
import { locations as locationsField } from '#shared/checks/watch-fields.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { checkSignalsOf } from '#shared/manifest/check-options.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import type { GatewayContext } from '../../context.ts'
import type { V3Call } from '../common.ts'
import { lackAt } from './location-names.ts'

/** A check as far as the load of its Locations depends on it. */
export interface LoadingCheck {
  /** Key of the signal; null: the Resource has one check alone. */
  signal: string | null
  /** Word of the kind. */
  kind: string
  everySeconds: number
  locations: readonly string[]
}

/** Returns the checks of a Resource that probers make. */
export function loadingChecks({ check, checks = [] }: Pick<ResourceView, 'check' | 'checks'>): LoadingCheck[] {
  if (check !== null) {
    return [{ signal: null, kind: kindWord(check), everySeconds: intervalMs(check) / 1_000, locations: check.locations }]
  }
  return checks.map(({ signal, type, everySeconds, locations }) => ({
    ...{ signal, kind: type, everySeconds, locations: locations.map(({ id }) => id) },
  }))
}

/** Sets the header of the response if there is something to warn of. `before`: the Resource until now; null: it is new. Never rejects. */
export async function warnOfChecks(
  context: GatewayContext,
  { reply, traceId }: Pick<V3Call, 'reply' | 'traceId'>,
  resource: ResourceView,
  before: ResourceView | null,
): Promise<void> {
  const checks = loadingChecks(resource)
  if (checks.length === 0) return
  try {
    const ids = new Set(checks.flatMap(({ locations }) => locations))
    const viewOf = await context.locationNames.viewer(ids, traceId)
    const found = [...ids].flatMap(id => viewOf(id) ?? [])
    const warned = warningsOf(checks, before === null ? [] : loadingChecks(before), found)
    if (warned.length === 0) return
    const fieldOf = await locationFields(context, resource, traceId)
    const warnings = warned.map(({ signal, text }): Warning => ({ field: fieldOf(signal), text }))
    void reply.header(warningsHeader, headerOfWarnings(warnings.filter(isFirst)))
  } catch (error) {
    context.logger.debug({ err: error, traceId }, 'warnings about checks were left out')
  }
}

const isFirst = ({ field, text }: Warning, i: number, all: readonly Warning[]): boolean =>
  all.findIndex(one => one.field === field && one.text === text) === i

interface Warned extends Pick<LoadingCheck, 'signal'> {
  text: string
}

/** Returns what is to be said about checks at these Locations, by Location. `before`: the checks until now. Pure. */
export function warningsOf(
  checks: readonly LoadingCheck[],
  before: readonly LoadingCheck[],
  found: readonly LocationView[],
): Warned[] {
  return found.flatMap(location => {
    const { id, name, displayName, load } = location
    const place = displayName ?? name
    const here = checks.filter(({ locations }) => locations.includes(id))
    const lacking = here.flatMap(({ signal, kind }): Warned[] => {
      const lack = lackAt(location, kind)
      if (lack === null) return []
      const isVacant = location.activeWorkers === 0
      return [
        { signal, text: isVacant ? `No prober runs at ${place}` : `${place} cannot make this check: ${redactedText(lack)}` },
      ]
    })
    const more = perSecond(here, id) - perSecond(before, id)
    const [first] = here
    if (first === undefined || load === undefined || more <= 0 || load.most === 0) return lacking
    const wanted = load.perSecond + more
    if (wanted <= limits.prober.warnedShare * load.most) return lacking
    const text = `${place} makes ${rounded(wanted)} checks a second then, of ${load.most} that its probers can make`
    return [...lacking, { signal: first.signal, text }]
  })
}

const perSecond = (checks: readonly LoadingCheck[], id: string): number =>
  checks.filter(({ locations }) => locations.includes(id)).reduce((sum, { everySeconds }) => sum + 1 / everySeconds, 0)

const rounded = (number: number): string => String(Math.round(number * 10) / 10)

/** Returns a function that returns the field with the Locations of a signal. */
async function locationFields(
  { directory }: GatewayContext,
  { workspaceId, template, check }: ResourceView,
  traceId: string,
): Promise<(signal: string | null) => string> {
  if (check !== null || template === null) return () => locationsField.key
  const found = await directory.ask('get-template', { workspaceId, reference: template }, traceId)
  const signals = found === null || found === 'damaged' ? [] : checkSignalsOf(found)
  return signal => signals.find(({ key }) => key === signal)?.locations.meta ?? locationsField.key
}
