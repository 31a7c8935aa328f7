// Notes on silence at the end of an installation that moves. They are in the leases, which stay on the old bus, so the move stores them in the
// checkpoints, for the first keepers of the new place (ADR 22).
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import { accountFound, type Lease } from '../../services/keeper/lease/lease-account.ts'

/** Part of a checkpoint: the notes, and the instant to which they refer, ms on the clock of the bus. */
export type SilenceLeft = Required<Pick<CheckpointDocument, 'silence' | 'writtenAt'>>

/** Returns the notes in the leases, by key of the partition; those of a partition are missing if its lease has none. No keeper may run. */
export async function silenceLeft(bus: Pick<Bus, 'bucket'>): Promise<Map<string, SilenceLeft>> {
  const left = new Map<string, SilenceLeft>()
  for (const { key, value, at } of await bus.bucket('leases').list(keys.allLeases)) {
    const { silence, asOf } = accountFound({ account: (value ?? {}) as Lease, at })
    if (silence && asOf !== undefined) left.set(key, { silence, writtenAt: asOf })
  }
  return left
}
