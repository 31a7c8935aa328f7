// The events of an incident as its records keep them: what each of them carries, and nothing else. Pure.
import type { IncidentEvent } from '#machines/incident-types.ts'

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
