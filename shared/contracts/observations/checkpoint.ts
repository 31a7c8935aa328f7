// Checkpoint of a partition: the position up to which its stream is read, and the readings that the stored subjects lack (ADR 12, 49).
import type { Stored } from '#shared/contracts/common.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import type { SilenceNotes } from '#shared/contracts/observations/silence.ts'

/** Position up to which a partition has read the stream. Its id is the key of the partition. */
export interface CheckpointDocument extends Stored {
  streamCreatedAt: string
  sequence: number
  /**
   * Stream time of the message with this `sequence`, ms. If the stream was replaced or has lost messages, a keeper reads again from a
   * minute before this time.
   */
  messageAt: number
  /** Number of times that the next message to read was no longer in the stream, so messages were lost. */
  gaps: number
  /** Instant of the write, ms; after a move, the instant to which `silence` refers. */
  writtenAt: number
  /** Newer readings of the partition's subjects, which the subjects' documents lack. They are newer than the readings in `parts`. */
  freshness: readonly Freshness[]
  /** Ids of the documents with further such readings, oldest first: a later record of a subject replaces an earlier one. Absent: none. */
  parts?: readonly string[]
  /** Copy of the notes on silence in the lease. A keeper uses this copy if it finds no notes in the lease. */
  silence?: SilenceNotes
  /** Id of the write of this revision. If the outcome of a write is unknown, its retry recognises by this id that the write succeeded. */
  writer?: string
}

/**
 * Part of a checkpoint, which never changes. Its id begins with the id of the checkpoint and the revision for which it was made. A part that
 * the checkpoint does not name has no meaning.
 */
export interface CheckpointPartDocument extends Stored {
  freshness: readonly Freshness[]
}
