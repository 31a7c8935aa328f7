// Message to the operator's receiver: one JSON object for each change. Pure.
import { oneLine } from '#shared/channels/message/one-line.ts'
import type { ConditionKind } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'

/** Text of a condition's change. `log`: fixed message of its log line. */
export interface Notice {
  type: NoticeType
  summary: string
  log: string
  details: Record<string, string | number | null>
}

export type NoticeType =
  | 'location.lost'
  | 'location.back'
  | 'key.expiring'
  | 'key.gone'
  | 'storage.full'
  | 'storage.room'
  | 'destination.failing'
  | 'destination.well'
  | 'dead_letters.found'
  | 'dead_letters.quiet'
  | 'proxy.untrusted'
  | 'proxy.settled'
  | 'clock.set'
  | 'clock.steady'

export interface Stated {
  id: string
  kind: ConditionKind
  name: string
  raised: 0 | 1
  since: number
}

/** Returns the exact body, as JSON. `source`: the address of the installation; `at`: ms since the epoch. */
export function messageBody(condition: Stated, notice: Notice, source: string, at: number): string {
  return JSON.stringify({
    type: notice.type,
    timestamp: new Date(at).toISOString(),
    text: notice.summary,
    data: {
      condition: condition.id,
      kind: condition.kind,
      state: condition.raised === 1 ? 'raised' : 'cleared',
      since: new Date(condition.since).toISOString(),
      name: condition.name,
      source,
      details: notice.details,
    },
  })
}

/** Returns foreign text as one bounded line. */
export const bounded = (text: string): string => oneLine(text, limits.operator.textCharacters)

/** Returns an instant as `2026-11-22 02:11:40 UTC`. */
export const instantText = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** Returns a size as `12 MiB` or `2.1 GiB`. */
export function sizeText(bytes: number): string {
  const gib = bytes / 1024 ** 3
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`
}

export const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
