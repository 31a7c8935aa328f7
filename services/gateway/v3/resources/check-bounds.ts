// Bounds that the installation sets for checks: their least interval, and how many of them a workspace may ask for. They hold for answers
// that are sent, so what is stored goes on. Reference: docs/reference/v3.md, 6.13.
import { fieldsOf, kindOf } from '#shared/checks/registry.ts'
import { intervalSeconds, intervalValue, locations } from '#shared/checks/watch-fields.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Answers, Template } from '#shared/contracts/resources/template.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import { checkSignalsOf, isReference } from '#shared/manifest/check-options.ts'
import { ownMember } from '#shared/text/own-member.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid } from '../common.ts'
import { loadingChecks } from './check-warnings.ts'

type Sent = Readonly<Record<string, unknown>>

interface BoundedCheck {
  everySeconds: number
  /** Number of Locations. */
  places: number
  /** Fields that state them. `every` null: the Template states the interval. */
  fields: { every: string | null; locations: string }
}

interface Bounded {
  workspaceId: string
  checks: readonly BoundedCheck[]
  sent: Sent
  /** The Resource that `sent` changes; null: a new one. */
  before: ResourceView | null
}

/** Throws `validation` of the field with an interval below the least one, or with which the workspace would ask for too many checks. */
async function requireBounds(context: GatewayContext, bounded: Bounded, traceId: string): Promise<void> {
  const { intervalMin, perMinute } = context.checkBounds
  const { workspaceId, checks, sent, before } = bounded
  for (const { everySeconds, fields } of checks) {
    const { every } = fields
    if (every === null || everySeconds >= intervalMin || (before !== null && !Object.hasOwn(sent, every))) continue
    throw invalid(every, `Field '${every}' must be at least ${intervalMin} seconds: this installation checks no more often`)
  }
  const [first] = checks
  if (perMinute === 0 || first === undefined) return
  const present = before === null ? [] : loadingChecks(before)
  const more = perMinuteOf(checks) - perMinuteOf(present.map(check => ({ ...check, places: check.locations.length })))
  if (more <= 0) return
  const full = await context.directory.ask('take-check-room', { workspaceId, more, most: perMinute }, traceId)
  if (full === null) return
  const wanted = Math.ceil(full.perMinute + more)
  throw invalid(
    first.fields.every ?? first.fields.locations,
    `The workspace would ask for ${wanted} checks a minute, and this installation allows ${perMinute}: check less often, or from fewer Locations`,
  )
}

const perMinuteOf = (checks: readonly Pick<BoundedCheck, 'everySeconds' | 'places'>[]): number =>
  checks.reduce((sum, { everySeconds, places }) => sum + (60 * places) / everySeconds, 0)

/** Checks the answers to a published Template. Answers that the keeper refuses are left to it. */
export function requireTemplateBounds(
  context: GatewayContext,
  { workspaceId, template, sent, before }: Pick<Bounded, 'workspaceId' | 'sent' | 'before'> & { template: Template },
  traceId: string,
): Promise<void> {
  const present: Answers = before?.answers ?? {}
  const answerTo = (key: string): unknown => {
    const given = Object.hasOwn(sent, key) ? sent[key] : ownMember(present, key)
    return given ?? template.fields.find(field => field.key === key)?.default
  }
  const checks = checkSignalsOf(template).flatMap(({ everySeconds: every, locations: { meta } }): BoundedCheck[] => {
    const everySeconds = isReference(every) ? answerTo(every.meta) : every
    const places = answerTo(meta)
    if (typeof everySeconds !== 'number' || everySeconds <= 0 || !Array.isArray(places)) return []
    return [{ everySeconds, places: places.length, fields: { every: isReference(every) ? every.meta : null, locations: meta } }]
  })
  return requireBounds(context, { workspaceId, checks, sent, before }, traceId)
}

/** Checks the answers to a system Template of a new Resource. */
export const requireCheckBounds = (
  context: GatewayContext,
  { workspaceId, check, sent }: Pick<Bounded, 'workspaceId' | 'sent'> & { check: StoredCheck },
  traceId: string,
): Promise<void> => requireBounds(context, { workspaceId, checks: boundedOf(check), sent, before: null }, traceId)

/** Checks the changed answers to a system Template. Answers that the keeper refuses are left to it. */
export function requireChangeBounds(
  context: GatewayContext,
  { found, sent }: { found: ResourceView & { check: StoredCheck }; sent: Sent },
  traceId: string,
): Promise<void> {
  const defaults = Object.fromEntries(fieldsOf(kindOf(found.check)).map(({ key, default: usual }) => [key, usual]))
  const changed = Object.entries(sent).map(([key, answer]) => [key, answer ?? defaults[key]])
  const check = { ...found.check, ...Object.fromEntries(changed) } as StoredCheck
  const checks = boundedOf(check)
  return requireBounds(context, { workspaceId: found.workspaceId, checks, sent, before: found }, traceId)
}

function boundedOf(check: StoredCheck): BoundedCheck[] {
  const every = check.interval_seconds === undefined ? intervalValue.key : intervalSeconds.key
  const everySeconds = intervalMs(check) / 1_000
  if (!(everySeconds > 0) || !Array.isArray(check.locations)) return []
  return [{ everySeconds, places: check.locations.length, fields: { every, locations: locations.key } }]
}
