// Nobody is called silent for what we could not hear: silence is held back after a take-over until whoever reports has had a turn (ADR 22).
import type { SilenceHold } from '#shared/contracts/freshness.ts'
import { limits } from '#shared/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'

/** What a partition knows of it. */
export interface Silence {
  /** For how long nobody held the partition before its present holder, ms, until silence is released; null: nobody knows. */
  vacantMs: number | null
  /** Silence counts only up to this instant while reports may still be on their way; null: it counts. */
  silenceHeldAt: number | null
  /** From going live on. */
  silenceHoldMs: number
  /** When that ends; null while the partition is not live or nothing is held. */
  silenceReleasedAt: number | null
}

/** At a take-over at `now`, ms; `checkpoint` null: none was ever written. A hold that its last holder had not ended goes on. */
export function holdAtTakeOver(partition: Silence, checkpoint: CheckpointDocument | null, now: number): void {
  const { silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
  const earlier = checkpoint?.silenceHold
  const leftMs = earlier ? earlier.releasedAt - now : 0
  // Without a checkpoint nobody knows how long no keeper was there.
  const heardTo = checkpoint?.writtenAt ?? Number.NEGATIVE_INFINITY
  partition.silenceHeldAt = Math.min(now, earlier && leftMs > 0 ? earlier.heldAt : heardTo)
  const vacantMs = partition.vacantMs ?? (checkpoint === null ? 0 : now - checkpoint.writtenAt)
  partition.silenceHoldMs = Math.max(silenceHoldOffMs, Math.min(silenceHoldOffMaxMs, Math.max(vacantMs, leftMs)))
}

/** Nobody has fallen silent since then, because no report can arrive. */
export function deafSilence(partition: Silence, since: number): void {
  const { silenceReleasedAt } = partition
  // What is left of an earlier hold comes on top.
  if (silenceReleasedAt !== null) partition.silenceHoldMs = Math.max(0, silenceReleasedAt - since)
  else if (partition.silenceHeldAt === null) partition.silenceHoldMs = 0
  partition.silenceHeldAt ??= since
  partition.silenceReleasedAt = null
}

/** Reports arrive again at `now`, after `deafMs`. A partition that is not live releases silence later than when it is. */
export function hearingSilence(partition: Silence, now: number, deafMs: number, isLive: boolean): void {
  const { silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
  partition.silenceHoldMs = Math.max(silenceHoldOffMs, Math.min(silenceHoldOffMaxMs, partition.silenceHoldMs + deafMs))
  if (isLive) releaseSilenceLater(partition, now)
}

/** Live from `now` on: silence counts again once those who report have had a turn. */
export function releaseSilenceLater(partition: Silence, now: number): void {
  partition.silenceReleasedAt = now + partition.silenceHoldMs
}

export function releaseSilence(partition: Silence, now: number): void {
  if (partition.silenceReleasedAt === null || now < partition.silenceReleasedAt) return
  partition.silenceHeldAt = null
  partition.silenceReleasedAt = null
  partition.vacantMs = 0
}

/** What a successor must know at `now`, ms; null: nothing is held, or no longer than after any take-over. */
export function holdToKeep(silence: Silence, now: number): SilenceHold | null {
  const { silenceHeldAt, silenceReleasedAt, silenceHoldMs } = silence
  if (silenceHeldAt === null || !isLong(silence)) return null
  // Minus infinity is no JSON.
  return { heldAt: Math.max(0, silenceHeldAt), releasedAt: silenceReleasedAt ?? now + silenceHoldMs }
}

/** Whether a hold began of which the checkpoint says nothing. */
export function isHoldNew(silence: Silence, checkpoint: CheckpointDocument | null): boolean {
  const { silenceReleasedAt } = silence
  return silenceReleasedAt !== null && isLong(silence) && checkpoint?.silenceHold?.releasedAt !== silenceReleasedAt
}

const isLong = ({ silenceHoldMs }: Silence): boolean => silenceHoldMs > limits.keeper.silenceHoldOffMs
