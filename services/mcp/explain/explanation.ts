// Explanation of an Incident: everything that a first diagnosis needs, in one result of bounded size. Pure.
import { isTaken } from '#shared/contracts/notifications/delivery-status.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import type { Delivery, Incident, Resource, Template, Transition } from './api-objects.ts'
import type { Explanation, Notice } from './explanation-object.ts'
import { sentencesOf } from './sentences.ts'

export interface Parts {
  incident: Incident
  resource: Resource
  template: Template | null
  /** Newest first. */
  deliveries: readonly Delivery[]
  hasOlderDeliveries: boolean
}

export function explanationOf({ incident, resource, template, deliveries, hasOlderDeliveries }: Parts): Explanation {
  const { history, next, path, path_omitted, ...facts } = incident
  return {
    incident: factsOf(facts),
    rule: ruleOf(template, incident.rule, resource.meta),
    evidence: evidenceOf(history),
    next,
    ...noticesOf(deliveries),
    deliveries_omitted: 0,
    deliveries_older: hasOlderDeliveries,
    maintenance: resource.maintenance,
    path,
    path_omitted,
  }
}

/** Returns the members of the Incident that an explanation needs; omits `history_omitted` and `verdict`. */
const factsOf = (incident: Explanation['incident']): Explanation['incident'] => ({
  cause: incident.cause,
  id: incident.id,
  resource: incident.resource,
  rule: incident.rule,
  lifecycle: incident.lifecycle,
  confirmation: incident.confirmation,
  condition: incident.condition,
  explanation: incident.explanation,
  closed_reason: incident.closed_reason,
  opened_at: incident.opened_at,
  confirmed_at: incident.confirmed_at,
  closed_at: incident.closed_at,
  effective_at: incident.effective_at,
  acknowledgement: incident.acknowledgement,
  action: incident.action,
})

function ruleOf(template: Template | null, key: string, meta: Record<string, unknown>): Explanation['rule'] {
  const rule = template?.rules.find(one => one.key === key)
  if (template === null || rule === undefined) return null
  const { signals, help, wait, decision } = rule
  const fields = decision === null ? websiteFields : fieldsIn([wait, decision])
  const answers = Object.fromEntries(fields.filter(field => field in meta).map(field => [field, meta[field]]))
  return { key, template: template.id, signals, help, wait, decision, meta: answers }
}

/** Fields whose answers define the rule of a website monitor. No Template declares this rule. */
const websiteFields = ['failure_mode', 'locations', 'interval_value', 'interval_unit', 'confirm_after', 'recover_after']

/** Returns the keys of the fields that a rule's operands and delays reference. */
function fieldsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('meta' in value && typeof value.meta === 'string') return [value.meta]
  return [...new Set(Object.values(value).flatMap(fieldsIn))]
}

function evidenceOf(history: readonly Transition[]): Explanation['evidence'] {
  const latest = history.findLast(({ evidence }) => evidence !== null)
  if (latest?.evidence == null) return null
  const { at, kind, evidence } = latest
  return { at, kind, ...evidence }
}

/** Groups deliveries. A failed attempt is listed only if no later message about the same event reached the same destination. */
function noticesOf(deliveries: readonly Delivery[]): Pick<Explanation, 'told' | 'not_told'> {
  const told = new Map<string, Notice>()
  const others = new Map<string, Notice>()
  for (const { at, destination, event, status, reason } of deliveries) {
    const place = JSON.stringify([destination, event])
    if (status === 'failed' && told.has(place)) continue
    const notices = isTaken(status) ? told : others
    const name = isTaken(status) ? place : JSON.stringify([destination, event, reason])
    const known = notices.get(name)
    if (known === undefined) notices.set(name, { destination, event, reason, at, times: 1 })
    else known.times++
  }
  return { told: [...told.values()], not_told: [...others.values()] }
}

export interface Bounded {
  explanation: Explanation
  /** The explanation in three sentences. */
  text: string
}

/**
 * Shortens the explanation to `most` bytes. Removes the oldest path entries first, then the oldest notices, then the evidence, then the
 * decision. The result states each omission, or counts the omitted entries.
 */
export function bounded(whole: Explanation, most: number = clientLimits.toolReplyBytes): Bounded {
  const text = sentencesOf(whole)
  const room = most - Buffer.byteLength(text)
  let explanation = whole
  for (const cut of [withoutOldSteps, withoutOldNotices, withoutEvidence, withoutDecision]) {
    const excess = sizeOf({ result: explanation }) - room
    if (excess > 0) explanation = cut(explanation, excess)
  }
  return { explanation, text }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** Bytes reserved for the counters of omitted entries. A counter gets more digits when more entries are omitted. */
const digits = 6

/** Returns how many of the first items must be removed to save `excess` bytes. */
function tooMany(items: readonly unknown[], excess: number): number {
  let count = 0
  for (let left = excess + digits; left > 0 && count < items.length; count++) left -= sizeOf(items[count]) + 1
  return count
}

function withoutOldSteps(whole: Explanation, excess: number): Explanation {
  const gone = tooMany(whole.path, excess)
  return { ...whole, path: whole.path.slice(gone), path_omitted: whole.path_omitted + gone }
}

function withoutOldNotices(whole: Explanation, excess: number): Explanation {
  const oldestFirst = [...whole.told, ...whole.not_told].sort((one, other) => (one.at < other.at ? -1 : 1))
  const gone = new Set(oldestFirst.slice(0, tooMany(oldestFirst, excess)))
  const omitted = [...gone].reduce((sum, { times }) => sum + times, whole.deliveries_omitted)
  const stays = (notice: Notice) => !gone.has(notice)
  return { ...whole, told: whole.told.filter(stays), not_told: whole.not_told.filter(stays), deliveries_omitted: omitted }
}

function withoutEvidence(whole: Explanation, excess: number): Explanation {
  const { evidence } = whole
  if (evidence === null) return whole
  const gone = tooMany(evidence.inputs.toReversed(), excess)
  const inputs = evidence.inputs.slice(0, evidence.inputs.length - gone)
  return { ...whole, evidence: { ...evidence, inputs, omitted: evidence.omitted + gone, truncated: true } }
}

const withoutDecision = (whole: Explanation): Explanation =>
  whole.rule === null ? whole : { ...whole, rule: { ...whole.rule, decision: 'too large: list_templates shows it', help: '' } }
