// A condition of the installation that its operator hears of, with the messages that are still to be sent. Notifiers alone write it.
import type { Stored } from '#shared/contracts/common.ts'

export type ConditionKind = 'location_lost' | 'key_expiring' | 'storage_full' | 'destination_failing' | 'dead_letters'

/** id: `<kind>.<object>`; of a kind without objects the kind alone. Instants in ms since the epoch. */
export interface ConditionDocument extends Stored {
  /** Who wrote this revision, so that an unknown outcome is settled by asking again. */
  writer: string
  kind: ConditionKind
  /** The location's, key's or destination's id; empty where the installation itself is meant. */
  objectId: string
  /** As people know the object, when the condition last changed. */
  name: string
  /** 1 while it holds (an indexed column). */
  raised: 0 | 1
  /** Since when it holds: a location's last beat, a destination's first failed attempt. */
  since: number
  changedAt: number
  /** The newest sign: a location's beat, a dead letter. */
  seenAt: number
  /** Dead letters since it was raised; 0 for other kinds. */
  count: number
  /** One sentence for people. */
  summary: string
  /** Oldest first. */
  unsent: OperatorMessage[]
  /** Failed attempts at the first of `unsent`. */
  attempts: number
  /** The notifier that sends, while its claim lasts. */
  claimedBy: string | null
  /** When the first of `unsent` is tried next, or when the claim of its sender ends; null: nothing is to be sent. */
  dueAt: number | null
}

export const conditionId = (kind: ConditionKind, objectId: string): string => (objectId === '' ? kind : `${kind}.${objectId}`)

/** Frozen when the condition changes: the same at every attempt. */
export interface OperatorMessage {
  /** The `webhook-id`. */
  id: string
  type: string
  at: number
  body: string
}
