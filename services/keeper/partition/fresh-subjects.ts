// Subjects of a partition whose readings are newer than their stored documents. The checkpoint keeps those readings.
import type { Freshness } from '#shared/contracts/observations/freshness.ts'

export interface FreshSubjects {
  /** Ids of cached subjects that are newer in memory than in the store. */
  readonly dirty: Set<string>
  /** Whether a sender's report has made a subject newer since the checkpoint was written. */
  isAhead: boolean
  /** Checkpointed readings of subjects that are not in memory, by id. They are merged when the subject is next loaded. */
  readonly checkpointed: Map<string, Freshness>
}

export const noFreshSubjects = (): FreshSubjects => ({ dirty: new Set(), isAhead: false, checkpointed: new Map() })

/** Returns the number of subjects whose readings a checkpoint must keep. */
export const freshCount = ({ dirty, checkpointed }: FreshSubjects): number => dirty.size + checkpointed.size
