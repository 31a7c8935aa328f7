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

/** `drift`: present drift of the machine's clock. `follow`: called if the witness confirms it, or does not answer in time. */
export function createDoubt(drift: () => number, follow: (driftMs: number) => void, stepMs: number): Doubt {
  let witness: Witness | null = null
  let isAsking = false
  /** Drift that the witness did not confirm, ms; null: none. */
  let refusedMs: number | null = null
  const ask = async (asked: Witness) => {
    isAsking = true
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(resolve, limits.clock.witnessMs, null)
    const aheadMs = await Promise.race([asked().catch(() => null), late])
    clearTimeout(timer)
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
