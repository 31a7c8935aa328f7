// Second opinion about a jump of this machine's clock: the clock of another machine.
import { limits } from '#shared/limits/limits.ts'

/**
 * Resolves with the time by which the clock of another machine is ahead of `now`, ms. It is asked when the clock of this machine has jumped
 * ahead.
 */
export type Witness = () => Promise<number>

export interface Doubt {
  heed(witness: Witness): void
  /** Returns true if a jump ahead of this length is not followed at present. Asks the witness about a new one. */
  isHeld(driftMs: number): boolean
  isAsking(): boolean
}

export interface DoubtOptions {
  schedule(delayMs: number, run: () => void): () => void
  /** Returns the present drift of the machine's clock, ms. */
  drift(): number
  /** Called if the witness confirms the drift, or does not answer in time. */
  follow(driftMs: number): void
  /** Difference between two drifts that is a new jump, ms. */
  stepMs: number
}

export function createDoubt({ schedule, drift, follow, stepMs }: DoubtOptions): Doubt {
  let witness: Witness | null = null
  let isAsking = false
  /** Drift that the witness did not confirm, ms; null: none. */
  let refusedMs: number | null = null
  const ask = async (asked: Witness) => {
    isAsking = true
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const cancel = schedule(limits.clock.witnessMs, () => resolve(null))
    const aheadMs = await Promise.race([asked().catch(() => null), late])
    cancel()
    isAsking = false
    const driftMs = drift()
    const isConfirmed = aheadMs === null || aheadMs > driftMs / 2
    refusedMs = isConfirmed ? null : driftMs
    if (isConfirmed) follow(driftMs)
  }
  return {
    heed: given => {
      witness = given
    },
    isHeld: driftMs => {
      if (isAsking) return true
      if (refusedMs !== null && Math.abs(driftMs - refusedMs) <= stepMs) return true
      if (witness === null) return false
      void ask(witness)
      return true
    },
    isAsking: () => isAsking,
  }
}
