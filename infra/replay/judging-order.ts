// How the records of an incident follow each other. One judgement may move an incident several times: new holds first, then its verdict,
// then every deadline that is due by it; those records are of one instant and carry one evidence, and none of them may be missing. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { HistoryDocument, IncidentContext } from '#shared/contracts/incidents/incident.ts'
import { isJudged, isTimed } from './recorded-event.ts'

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
