// Position of a partition in the stream: the newest committed sequence, and the stored checkpoint.

import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createSentTime, type SentTime } from '../loading/sent-time.ts'

export interface Position {
  /**
   * Newest sequence whose effects are committed (freshness may still be in memory only). `messageAt`: stream time of this sequence's
   * message.
   */
  sequence: number
  messageAt: number
  /** Returns the instant at which a report of the present stream was sent. */
  sentTime: SentTime
  /** The partition is live once this sequence is committed. */
  catchUpTo: number
  /** Stored checkpoint, without its freshness; null: none yet. */
  checkpoint: Omit<CheckpointDocument, 'freshness'> | null
  /** Next instant at which the checkpoint is written, ms since the epoch. */
  checkpointDueAt: number
  streamCreatedAt: string
  /** Number of times that reports from after the checkpoint were missing in the stream. */
  gaps: number
}

/** Returns the position of a partition that was just opened. The partitions' checkpoints are spread over one interval. */
export const startPosition = (number: number, clock: Pick<Clock, 'now'>): Position => ({
  sequence: 0,
  messageAt: 0,
  sentTime: createSentTime(clock),
  catchUpTo: 0,
  checkpoint: null,
  checkpointDueAt: clock.now() + (number / limits.partitions) * limits.keeper.checkpointMs,
  streamCreatedAt: '',
  gaps: 0,
})

/** Returns whether the position differs from the position of the stored checkpoint. */
export function isPastCheckpoint({ checkpoint, sequence, streamCreatedAt }: Position): boolean {
  if (checkpoint === null) return sequence > 0
  return checkpoint.sequence !== sequence || checkpoint.streamCreatedAt !== streamCreatedAt
}
