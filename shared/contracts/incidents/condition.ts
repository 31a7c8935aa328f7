// A condition of the installation (a state of which the operator is notified), with the unsent messages about it. Only notifiers write
// conditions.
import { ask, type Stored } from '#shared/contracts/common.ts'

export const conditionKinds = [
  'location_lost',
  'key_expiring',
  'storage_full',
  'destination_failing',
  'dead_letters',
  'proxy_untrusted',
  'clock_set',
] as const
export type ConditionKind = (typeof conditionKinds)[number]

/** id: `<kind>.<object>`, or only the kind if conditions of this kind concern no object. Instants in ms since the epoch. */
export interface ConditionDocument extends Stored {
  /**
   * Id of the write that stored this revision. If a write gets no response, the writer reads the document again and recognises its own
   * write by this id.
   */
  writer: string
  kind: ConditionKind
  /** Id of the location, key or destination; empty: the condition concerns the whole installation. */
  objectId: string
  /** Name of the object, as it was at the last change of the condition. */
  name: string
  /** 1 while the condition holds, else 0 (an indexed column). */
  raised: 0 | 1
  /**
   * Instant since which the condition holds, such as the last heartbeat of a location, or the first failed attempt to send to a
   * destination.
   */
  since: number
  changedAt: number
  /** Instant of the newest fact about the condition, such as the location's last heartbeat or the latest dead letter. */
  seenAt: number
  /** Number of dead letters since the condition was raised; 0 for other kinds. */
  count: number
  /** Description of the condition for people, in one sentence. */
  summary: string
  /** Messages to send, oldest first. */
  unsent: OperatorMessage[]
  /** Number of failed attempts to send the first of `unsent`. */
  attempts: number
  /** Id of the notifier that has claimed the messages in order to send them; null: no notifier has claimed them. */
  claimedBy: string | null
  /** Instant of the next attempt to send the first of `unsent`, or of the end of the running claim. Null: there is nothing to send. */
  dueAt: number | null
}

export const conditionId = (kind: ConditionKind, objectId: string): string => (objectId === '' ? kind : `${kind}.${objectId}`)

/** A message to the operator, built when the condition changes. Every attempt to send it sends the same bytes. */
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
