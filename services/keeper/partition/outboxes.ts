// Outboxes of a partition's subjects, if their stored documents do not yet show that the outbox is done.

export interface Outboxes {
  /** Subjects whose stored outbox is written elsewhere but not cleared, by id. Value: the instant since which, ms since the epoch. */
  readonly uncleared: Map<string, number>
  /** Ids of deleted subjects whose children are removed. Only the tombstone remains. */
  readonly childless: Set<string>
}

export const noOutboxes = (): Outboxes => ({ uncleared: new Map(), childless: new Set() })

/** Returns the earliest instant since which an outbox is not cleared, ms since the epoch; null: all outboxes are cleared. */
export function unclearedSince({ uncleared }: Outboxes): number | null {
  for (const since of uncleared.values()) return since
  return null
}
