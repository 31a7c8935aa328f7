// Order of the records of an incident, and the fields of their events. One judgement may cause several records with the same instant and
// evidence. Of these records, new delays come first, then the verdict, then every deadline that is due. Pure.

import { isDeepStrictEqual } from 'node:util'
import type { IncidentEvent } from '#machines/incident-types.ts'
import { acknowledgedVias, type HistoryDocument, type IncidentContext } from '#shared/contracts/incidents/incident.ts'

/** State of the order check after the records read so far. */
export interface Order {
  /** Latest instant for which the records show a judgement, ms. */
  at: number
  /** Record of the latest judgement; null: the next record cannot belong to this judgement. */
  judged: HistoryDocument | null
  /** Event that must be in the next record because of the latest judgement; null: any event may follow. */
  owed: { type: string; at: number } | null
}

export const beginning: Order = { at: Number.NEGATIVE_INFINITY, judged: null, owed: null }
const timed = 'a deadline'

/** Returns the faults of `entry` as the next record. `before`: the machine's context before `entry`; null: `entry` opens the incident. */
export function orderFaults(
  { at: judgedAt, judged, owed }: Order,
  entry: HistoryDocument,
  before: IncidentContext | null,
): string[] {
  const { type, at } = entry.event
  const faults: string[] = []
  if (owed !== null && !pays(entry.event, owed))
    faults.push(`${type} is recorded, but the judgement before it led to ${owed.type}`)
  else if (owed !== null && !isSameJudgement(entry, judged))
    faults.push('it belongs to the judgement before it and differs from that judgement')
  if (before === null) return faults
  if ((isJudged(type) || type === 'policy.replaced') && at < judgedAt)
    faults.push(`${type} has an instant before the last judgement`)
  if (isJudged(type) && type === `${before.condition}.judged`) faults.push(`${type} repeats the present condition`)
  if (type === 'flapping.counted' && !(at === judged?.event.at && isJudged(judged.event.type) && isSameJudgement(entry, judged)))
    faults.push('flapping.counted does not follow a change of the verdict')
  const { confirmAfterMs, closeAfterMs, deadlineAt } = before
  if (type === 'policy.replaced' && isDeepStrictEqual(holdsOf(entry.event), [confirmAfterMs, closeAfterMs]))
    faults.push('policy.replaced has the same holds as before')
  const isOnTime = type === 'reminder.missed' ? deadlineAt !== null && at > deadlineAt : at === deadlineAt
  if (isTimed(type) && !isOnTime) faults.push(`${type} is not at the deadline`)
  return faults
}

/** Returns the order after `entry`. `before`, `after`: the machine's context before and after `entry`. */
export function orderAfter(order: Order, entry: HistoryDocument, before: IncidentContext | null, after: IncidentContext): Order {
  const { type, at } = entry.event
  if (isJudged(type) || type === 'policy.replaced') return withOwed({ at, judged: entry, owed: null }, after)
  if (!isTimed(type)) return { ...order, judged: null, owed: null }
  if (order.owed !== null) return withOwed({ ...order, owed: null }, after)
  return { at: Math.max(order.at, before?.deadlineAt ?? at), judged: null, owed: null }
}

/**
 * Returns the order with `owed`: the event that must follow the latest judgement. No event must follow the verdict `not_judged`. After a
 * provisional verdict, the event of a due deadline may be absent.
 */
function withOwed(order: Order, { condition, deadlineAt }: IncidentContext): Order {
  const { judged, at } = order
  if (judged === null || judged.verdict === 'not_judged') return order
  if (judged.event.type === 'policy.replaced' && judged.verdict !== condition)
    return { ...order, owed: { type: `${judged.verdict}.judged`, at } }
  if (judged.event['provisional'] === true) return order
  return deadlineAt !== null && deadlineAt <= at ? { ...order, owed: { type: timed, at: deadlineAt } } : order
}

function pays(event: HistoryDocument['event'], owed: { type: string; at: number }): boolean {
  // The instant of an owed deadline is not compared here: `orderFaults` compares it with the machine's deadline.
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
/** Further fields of the event that opens an incident of a Template's rule. */
const loudness: Fields = { announcesAll: isSwitch, ...mutable }

/** Fields of each event besides type and instant. TypeScript requires an entry for every event of the machine. */
const fieldsOf: Record<IncidentEvent['type'], Fields> = {
  'problem.judged': mutable,
  'no_data.judged': { ...mutable, ...provisional },
  'ok.judged': { ...mutable, ...provisional, flapsUntil: value => value === undefined || isNumber(value) },
  'hold.elapsed': mutable,
  'flapping.counted': mutable,
  'recovery.elapsed': {},
  'unknown.judged': {},
  'known.judged': {},
  'reminder.due': mutable,
  'reminder.missed': {},
  'incident.acknowledged': {
    by: value => typeof value === 'string',
    via: value => acknowledgedVias.some(via => via === value),
  },
  'policy.replaced': { ...holds, ...provisional },
  'rule.removed': {},
  'subject.archived': {},
}

/**
 * Returns the reason why the machine cannot accept the event; null: the machine can accept it. Only the first event opens the incident and
 * contains its delays.
 */
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

/** Returns true if the event is a new verdict. Returns false for a paused or resumed delay. */
export const isJudged = (type: string): boolean => type.endsWith('.judged') && !isHoldEvent(type)

const isHoldEvent = (type: string): boolean => type === 'unknown.judged' || type === 'known.judged'

export const isTimed = (type: string): boolean =>
  type === 'hold.elapsed' || type === 'recovery.elapsed' || type === 'reminder.due' || type === 'reminder.missed'
