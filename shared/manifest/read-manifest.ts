// Reader of manifests for publication, preview and the offline check, with the same errors in the same order. Pure. Reference:
// docs/reference/v3.md, section 3.

import {
  checkKind,
  Manifest,
  ManifestParts,
  type RouteTransition,
  type Template,
  type TemplateField,
  type TemplateRoute,
  type TemplateRule,
  type TemplateSignal,
} from '#shared/contracts/resources/template.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { ManifestRefusal, maxSeconds, refuse } from './manifest-refusal.ts'
import { readDecision } from './read-decision.ts'
import { readField, requireNumericField } from './read-field.ts'
import { readSignal } from './read-signal.ts'

export interface ManifestContext {
  /** Keys of the system Templates, which cannot be published. */
  systemKeys: ReadonlySet<string>
  /** Destinations of the workspace; null: they are not known (offline check), so references to destinations stay as sent. */
  destinations: readonly { id: string; name: string }[] | null
}

type SentRule = Manifest['rules'][number]

/**
 * Returns the Template that `sent` describes, with all defaults. Throws ManifestRefusal for the first fault: unknown keys, then JSON types,
 * then each field in its order, then contradictions between fields.
 */
export function readManifest(sent: unknown, context: ManifestContext): Template {
  const refusal = firstRefusal(Manifest, sent)
  if (refusal !== null) throw new ManifestRefusal(refusal)
  const manifest = sent as Manifest
  if (context.systemKeys.has(manifest.key)) {
    throw refuse('key', `'${manifest.key}' is a system Template, which nobody may publish`)
  }
  const fields = (manifest.fields ?? []).map((field, i) => readField(field, `fields.${i}`))
  requireUnique(fields, 'fields')
  const { key, version, name, summary } = manifest
  return { key, version, name: name.trim(), summary: summary ?? '', fields, ...partsOf(manifest, fields, context) }
}

type Parts = Pick<Template, 'signals' | 'rules'>

/**
 * Returns the signals and rules of a Template with these fields. Throws ManifestRefusal for the first fault, and for a rule that names a
 * destination.
 */
export function readParts(sent: unknown, fields: readonly TemplateField[]): Parts {
  const refusal = firstRefusal(ManifestParts, sent)
  if (refusal !== null) throw new ManifestRefusal(refusal)
  return partsOf(sent as ManifestParts, fields, { destinations: [] })
}

function partsOf(sent: ManifestParts, fields: readonly TemplateField[], context: Pick<ManifestContext, 'destinations'>): Parts {
  const signals = sent.signals.map((signal, i) => readSignal(signal, `signals.${i}`, fields))
  requireUnique(signals, 'signals')
  requireFewChecks(signals)
  const rules = sent.rules.map((rule, i) => readRule(rule, `rules.${i}`, fields, signals, context))
  requireUnique(rules, 'rules')
  return { signals, rules }
}

function readRule(
  sent: SentRule,
  place: string,
  fields: readonly TemplateField[],
  signals: readonly TemplateSignal[],
  { destinations }: Pick<ManifestContext, 'destinations'>,
): TemplateRule {
  const { flapping } = sent.wait
  const wait = {
    confirmAfter: sent.wait.confirm_after,
    recoverAfter: sent.wait.recover_after,
    ...(flapping == null ? {} : { flapping: { changes: flapping.changes, withinSeconds: flapping.within_seconds } }),
  }
  requireWait(wait.confirmAfter, fields, `${place}.wait.confirm_after`)
  requireWait(wait.recoverAfter, fields, `${place}.wait.recover_after`)
  const decision = readDecision(sent.decision, `${place}.decision`, { fields, signals })
  if (sent.destination != null && sent.routes != null) {
    throw refuse(`${place}.routes`, 'A rule has a destination or routes, not both')
  }
  const destination = sent.destination == null ? null : resolve(sent.destination, destinations, `${place}.destination`)
  return {
    key: sent.key,
    action: sent.action.trim(),
    help: sent.help ?? '',
    wait,
    decision,
    ...(sent.unknown === 'no_data' ? { unknown: sent.unknown } : {}),
    destination,
    routes: readRoutes(sent, place, destinations),
  }
}

/** Throws ManifestRefusal if a delay references a field whose value is not always a whole number of seconds. */
function requireWait(wait: number | { meta: string }, fields: readonly TemplateField[], place: string): void {
  if (typeof wait === 'number') return
  const field = requireNumericField(wait.meta, fields, `${place}.meta`)
  if (field.type === 'number') throw refuse(`${place}.meta`, `The field '${field.key}' holds fractions: a wait is whole seconds`)
  const least = field.default
  if (typeof least === 'number' && (least < 0 || least > maxSeconds)) {
    throw refuse(`${place}.meta`, `The default of '${field.key}' must be 0 to ${maxSeconds} seconds`)
  }
}

const defaultTransitions: readonly RouteTransition[] = ['problem', 'no_data', 'recovery']

function readRoutes(sent: SentRule, place: string, destinations: ManifestContext['destinations']): TemplateRule['routes'] {
  if (sent.routes == null) return null
  const routes = sent.routes.map((route, i): TemplateRoute => {
    const on = [...new Set<RouteTransition>(route.on ?? defaultTransitions)]
    const afterMinutes = route.after_minutes ?? 0
    if (afterMinutes > 0) requireStep(on, `${place}.routes.${i}.after_minutes`)
    const destination = resolve(route.destination, destinations, `${place}.routes.${i}.destination`)
    return { destination, on, ...(afterMinutes > 0 ? { afterMinutes } : {}) }
  })
  const named = new Set<string>()
  for (const [i, { destination }] of routes.entries()) {
    if (named.has(destination)) throw refuse(`${place}.routes.${i}.destination`, 'A rule names a destination in one route only')
    named.add(destination)
  }
  return routes
}

/** Throws ManifestRefusal if a route with these transitions cannot wait: what it would wait with is a problem or no data. */
function requireStep(on: readonly RouteTransition[], place: string): void {
  if (on.includes('opened')) throw refuse(place, 'A route that waits hears of problems, and not when an Incident opens')
  if (!on.includes('problem') && !on.includes('no_data')) throw refuse(place, 'A route that waits needs problem or no_data in on')
}

/** Returns the id of the referenced destination. The reference may be an id, an exact name, or a name that is unique if case is ignored. */
function resolve(
  reference: string | { id: string } | { name: string },
  destinations: ManifestContext['destinations'],
  place: string,
): string {
  const wanted = typeof reference === 'string' ? reference : 'id' in reference ? reference.id : reference.name
  if (destinations === null) return wanted
  const isName = typeof reference !== 'string' && 'name' in reference
  const exact = destinations.filter(one => (isName ? one.name : one.id) === wanted)
  const alike = exact.length > 0 || !isName ? exact : destinations.filter(one => one.name.toLowerCase() === wanted.toLowerCase())
  if (alike.length === 1) return (alike[0] as { id: string }).id
  const fault =
    alike.length > 1 ? 'fits more than one destination: write the name exactly' : 'names no destination of this workspace'
  throw refuse(place, `'${wanted}' ${fault}`)
}

/** Largest number of checked signals of a Template. */
const checksMax = 8

function requireFewChecks(signals: readonly TemplateSignal[]): void {
  const checked = signals.flatMap(({ kind }, i) => (kind === checkKind ? [i] : []))
  if (checked.length > checksMax) throw refuse(`signals.${checked[checksMax]}.kind`, `A Template has at most ${checksMax} checks`)
}

function requireUnique(parts: readonly { key: string }[], place: string): void {
  const seen = new Set<string>()
  for (const [i, { key }] of parts.entries()) {
    if (seen.has(key)) throw refuse(`${place}.${i}.key`, `The key '${key}' stands twice`)
    seen.add(key)
  }
}
