// Received messages compared with the required messages. Pure.

export type Kind = 'problem' | 'no_data' | 'ok'

export interface Message {
  name: string
  kind: Kind
  /** Idempotency-Key of the message. */
  key: string
  at: number
}

/** By name of a thing: the kinds of all messages that must arrive about this thing, in order. No other message may arrive. */
export type Expected = ReadonlyMap<string, readonly Kind[]>

export interface Comparison {
  /** Messages that were not required. */
  wrong: string[]
  /** Required messages that never arrived. */
  lost: string[]
  /** Messages sent again with the same Idempotency-Key. Receivers drop such repetitions (docs/notifications.md). */
  repeated: string[]
}

export function compareTold(expected: Expected, messages: readonly Message[]): Comparison {
  const comparison: Comparison = { wrong: [], lost: [], repeated: [] }
  const keys = new Set<string>()
  const left = new Map([...expected].map(([name, kinds]) => [name, [...kinds]]))
  for (const { name, kind, key } of messages) {
    const kinds = left.get(name) ?? []
    if (keys.has(key)) comparison.repeated.push(`${name}: ${kind}`)
    else if (kinds[0] === kind) kinds.shift()
    else comparison.wrong.push(`${name}: ${kind}`)
    keys.add(key)
  }
  for (const [name, kinds] of left) for (const kind of kinds) comparison.lost.push(`${name}: ${kind}`)
  return comparison
}

/** True if every required message has arrived. */
export const isAllTold = (expected: Expected, messages: readonly Message[]): boolean =>
  compareTold(expected, messages).lost.length === 0
