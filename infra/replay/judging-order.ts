// How the records of an incident follow each other. One judgement may move an incident several times: new holds first, then its verdict,
// then every deadline that is due by it; those records are of one instant and carry one evidence, and none of them may be missing. Pure.

import { isDeepStrictEqual } from 'node:util'
import type { IncidentEvent } from '#machines/incident-types.ts'
import type { HistoryDocument, IncidentContext } from '#shared/contracts/incidents/incident.ts'

/** State of judgements according to the records so far. */
export interface Order {
  /** The incident was judged up to here, or further. */
  at: number
  /** The record of the judgement at `at`, while the next one may be of the same. */
  judged: HistoryDocument | null
  /** Further consequences that the judgement must have. */
  owed: { type: string; at: number } | null
}

export const beginning: Order = { at: Number.NEGATIVE_INFINITY, judged: null, owed: null }
const timed = 'a deadline'

/** Returns the fault of `entry` as the next record. `before`: the machine's context until then, null at the opening. */
export function orderFaults(
  { at: judgedAt, judged, owed }: Order,
  entry: HistoryDocument,
  before: IncidentContext | null,
): string[] {
  const { type, at } = entry.event
  const faults: string[] = []
  if (owed !== null && !pays(entry.event, owed)) faults.push(`${type} comes where the judgement before it led to ${owed.type}`)
  else if (owed !== null && !isSameJudgement(entry, judged)) faults.push('it is of the judgement before it and tells another')
  if (before === null) return faults
  if ((isJudged(type) || type === 'policy.replaced') && at < judgedAt) faults.push(`${type} is of an instant judged before`)
  if (isJudged(type) && type === `${before.condition}.judged`) faults.push(`${type} tells what was so already`)
  const { confirmAfterMs, closeAfterMs, deadlineAt } = before
  if (type === 'policy.replaced' && isDeepStrictEqual(holdsOf(entry.event), [confirmAfterMs, closeAfterMs]))
    faults.push('policy.replaced replaces holds by the same')
  const isOnTime = type === 'reminder.missed' ? deadlineAt !== null && at > deadlineAt : at === deadlineAt
  if (isTimed(type) && !isOnTime) faults.push(`${type} does not come at the deadline`)
  return faults
}

/** The order after `entry`; `before` as above, `after` the machine's context now. */
export function orderAfter(order: Order, entry: HistoryDocument, before: IncidentContext | null, after: IncidentContext): Order {
  const { type, at } = entry.event
  if (isJudged(type) || type === 'policy.replaced') return withOwed({ at, judged: entry, owed: null }, after)
  if (!isTimed(type)) return { ...order, judged: null, owed: null }
  if (order.owed !== null) return withOwed({ ...order, owed: null }, after)
  return { at: Math.max(order.at, before?.deadlineAt ?? at), judged: null, owed: null }
}

/** A judgement that says nothing (not judged) moves nothing, and a provisional one leads to no deadline. */
function withOwed(order: Order, { condition, deadlineAt }: IncidentContext): Order {
  const { judged, at } = order
  if (judged === null || judged.verdict === 'not_judged') return order
  if (judged.event.type === 'policy.replaced' && judged.verdict !== condition)
    return { ...order, owed: { type: `${judged.verdict}.judged`, at } }
  if (judged.event['provisional'] === true) return order
  return deadlineAt !== null && deadlineAt <= at ? { ...order, owed: { type: timed, at: deadlineAt } } : order
}

function pays(event: HistoryDocument['event'], owed: { type: string; at: number }): boolean {
  // A deadline's instant is compared with the machine's own, below.
  return owed.type === timed ? isTimed(event.type) : event.type === owed.type && event.at === owed.at
}

const isSameJudgement = (one: HistoryDocument, other: HistoryDocument | null): boolean =>
  other !== null &&
  one.verdict === other.verdict &&
  one.explanation === other.explanation &&
  isDeepStrictEqual(one.evidence, other.evidence)

const holdsOf = (event: HistoryDocument['event']) => [event['confirmAfterMs'], event['closeAfterMs']]

type Fields = Readonly<Record<string, (value: unknown) => boolean>>

const isNumber = (value: unknown) => Number.isFinite(value)
const isHold = (value: unknown) => typeof value === 'number' && value >= 0
const isSwitch = (value: unknown) => value === undefined || typeof value === 'boolean'

const holds: Fields = { confirmAfterMs: isHold, closeAfterMs: isHold }
const mutable: Fields = { muted: isSwitch }
const provisional: Fields = { provisional: isSwitch }
/** Of the opening of a Template's rule. */
const loudness: Fields = { announcesAll: isSwitch, ...mutable }

/** `keyof` the machine's own union, so that no event is forgotten here. */
const fieldsOf: Record<IncidentEvent['type'], Fields> = {
  'problem.judged': mutable,
  'no_data.judged': { ...mutable, ...provisional },
  'ok.judged': { ...mutable, ...provisional },
  'hold.elapsed': mutable,
  'recovery.elapsed': {},
  'unknown.judged': {},
  'known.judged': {},
  'reminder.due': mutable,
  'reminder.missed': {},
  'incident.acknowledged': {
    by: value => typeof value === 'string',
    via: value => value === 'api' || value === 'ui' || value === 'mcp',
  },
  'policy.replaced': { ...holds, ...provisional },
  'rule.removed': {},
  'subject.archived': {},
}

/** Why the machine cannot be given the event; null where it can. The first record opens, with the holds in it. */
export function eventFault(event: unknown, isFirst: boolean): string | null {
  if (typeof event !== 'object' || event === null || !('type' in event)) return 'it has no event'
  const { type, at, ...rest } = event as Record<string, unknown>
  const isKnown = typeof type === 'string' && Object.hasOwn(fieldsOf, type)
  if (!isKnown) return `no incident knows the event ${String(type)}`
  if (isFirst && type !== 'problem.judged' && type !== 'no_data.judged') return `no incident is opened by the event ${type}`
  const fields = isFirst ? { ...holds, ...provisional, ...loudness } : fieldsOf[type as IncidentEvent['type']]
  const wrong = Object.entries(fields).find(([field, isRight]) => !isRight(rest[field]))?.[0]
  if (wrong !== undefined || !isNumber(at)) return `its event ${type} has a wrong ${wrong ?? 'at'}`
  const strange = Object.keys(rest).find(field => !Object.hasOwn(fields, field))
  return strange === undefined ? null : `its event ${type} has a strange ${strange}`
}

/** The rule was judged otherwise than before. A hold that stands still or goes on is no other judgement. */
export const isJudged = (type: string): boolean => type.endsWith('.judged') && !isHoldEvent(type)

const isHoldEvent = (type: string): boolean => type === 'unknown.judged' || type === 'known.judged'

/** Sent because time alone moves the incident. */
export const isTimed = (type: string): boolean =>
  type === 'hold.elapsed' || type === 'recovery.elapsed' || type === 'reminder.due' || type === 'reminder.missed'
