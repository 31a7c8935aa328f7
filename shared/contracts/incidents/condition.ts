// A condition of the installation that its operator is notified of, with its unsent messages. Only notifiers write it.
import { ask, type Stored } from '#shared/contracts/common.ts'

export type ConditionKind = 'location_lost' | 'key_expiring' | 'storage_full' | 'destination_failing' | 'dead_letters'

/** id: `<kind>.<object>`, or the kind alone if the kind has no objects. Instants in ms since the epoch. */
export interface ConditionDocument extends Stored {
  /** Id of the write of this revision, by which a retry recognises its own write after an unknown outcome. */
  writer: string
  kind: ConditionKind
  /** Id of the location, key or destination; empty: the condition concerns the whole installation. */
  objectId: string
  /** Name of the object for people, at the last change of the condition. */
  name: string
  /** 1 while the condition holds (an indexed column). */
  raised: 0 | 1
  /** Start of the condition: the last heartbeat of a location, the first failed attempt at a destination. */
  since: number
  changedAt: number
  /** Instant of the newest fact about the condition: the location's last heartbeat, the last dead letter. */
  seenAt: number
  /** Number of dead letters since the condition was raised; 0 for other kinds. */
  count: number
  /** One sentence for people. */
  summary: string
  /** Messages to send, oldest first. */
  unsent: OperatorMessage[]
  /** Number of failed attempts to send the first of `unsent`. */
  attempts: number
  /** Id of the notifier that sends, while its claim lasts. */
  claimedBy: string | null
  /** Next attempt to send the first of `unsent`, or end of the sender's claim; null: nothing to send. */
  dueAt: number | null
}

export const conditionId = (kind: ConditionKind, objectId: string): string => (objectId === '' ? kind : `${kind}.${objectId}`)

/** A message to the operator, built when the condition changes. Every attempt sends the same bytes. */
export interface OperatorMessage {
  /** Value of the header `webhook-id`. */
  id: string
  type: string
  at: number
  body: string
}

export const conditionAsks = {
  /** The conditions that hold now, oldest first. */
  'list-conditions': ask<Pick<ConditionDocument, 'kind' | 'name' | 'since' | 'summary'>[]>()({}),
} as const
