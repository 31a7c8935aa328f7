// Things that the simulated Resources of one workspace share and their senders need.
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { Keepers } from '../custom/keepers.ts'
import type { Random } from '../random.ts'
import type { ResourceFacts } from './facts.ts'
import type { Revisions } from './templates.ts'

export interface House {
  keepers: Keepers
  revisions: Revisions
  faults: string[]
  /** Times in which a sender had to ask again: what it sent was taken at any instant of them. */
  retried: { from: number; until: number }[]
  /** Comes over the keepers while they are asked next; null: nothing does. */
  ambush: (() => Promise<void>) | null
}

export interface Asking {
  readonly house: House
  readonly facts: ResourceFacts
  readonly random: Random
  ask(sent: Record<string, unknown>): Promise<{ reply: Reply; tries: number }>
  rows(): Promise<PushedObservationDocument[]>
  fault(text: string): void
}
