// Whether a partition hears what is reported to it through the stream, and what waits while it does not (ADR 24): deadlines, because a report that
// nobody has read yet may have come before them. `listening.ts` decides what follows for silence.
import { limits } from '#shared/limits.ts'

/** What is in the way: the partition's own feed is lost, or nobody can publish because the stream does not answer. */
export type Obstacle = 'feed' | 'stream'

export interface Deafness {
  /** By what is in the way, since when it is, ms on the keeper's clock. */
  readonly deafSince: Map<Obstacle, number>
  /** Deadlines wait up to this instant: whoever kept reports is sending them. */
  settledAt: number
}

/** Reports may be missing since `since`, and are from now on. */
export function fallDeaf({ deafSince }: Deafness, obstacle: Obstacle, since: number): void {
  if (!deafSince.has(obstacle)) deafSince.set(obstacle, since)
}

/** The obstacle is gone at `now`. */
export function hearAgain(partition: Deafness, obstacle: Obstacle, now: number): void {
  if (partition.deafSince.delete(obstacle) && partition.deafSince.size === 0) partition.settledAt = now + limits.keeper.settleMs
}

/** Since when, on the keeper's clock; null: it hears. */
export const deafFrom = ({ deafSince }: Deafness): number | null =>
  deafSince.size === 0 ? null : Math.min(...deafSince.values())

/** Whether no report can be missing that came before `now`. */
export const mayPassTime = ({ deafSince, settledAt }: Deafness, now: number): boolean => deafSince.size === 0 && now >= settledAt
