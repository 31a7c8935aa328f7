// Obstacles between a partition and the stream (ADR 24). Deadlines wait while there is an obstacle, because an unread report may be older
// than a deadline. Never decides about silence; `listening.ts` does.
import { limits } from '#shared/limits/limits.ts'

/** Obstacle to reports. `feed`: the partition's feed is lost. `stream`: nobody can publish, because the stream does not respond. */
export type Obstacle = 'feed' | 'stream'

export interface Deafness {
  /** Start of each present obstacle, ms on the keeper's clock. */
  readonly deafSince: Map<Obstacle, number>
  /** Instant up to which deadlines wait, because probers still send the reports that they buffered. */
  settledAt: number
}

export const hearing = (): Deafness => ({ deafSince: new Map(), settledAt: 0 })

/** Records an obstacle: reports sent after `since` may be missing. */
export function fallDeaf({ deafSince }: Deafness, obstacle: Obstacle, since: number): void {
  if (!deafSince.has(obstacle)) deafSince.set(obstacle, since)
}

/** Records that the obstacle ended at `now`. */
export function hearAgain(deafness: Deafness, obstacle: Obstacle, now: number): void {
  if (deafness.deafSince.delete(obstacle) && deafness.deafSince.size === 0) deafness.settledAt = now + limits.keeper.settleMs
}

/** Returns the start of the earliest obstacle on the keeper's clock; null: no obstacle. */
export const deafFrom = ({ deafSince }: Deafness): number | null =>
  deafSince.size === 0 ? null : Math.min(...deafSince.values())

/** Returns whether every report sent before `now` has arrived. */
export const mayPassTime = ({ deafSince, settledAt }: Deafness, now: number): boolean => deafSince.size === 0 && now >= settledAt
