// State shared by the simulated Resources of one workspace and their senders.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { Keepers } from '../custom/keepers.ts'
import type { Random } from '../random.ts'
import type { ResourceFacts } from './facts.ts'
import type { Namings, Revisions } from './templates.ts'
import type { Notifiers } from './told/notifiers.ts'
import type { Post } from './told/post.ts'
import type { Receivers } from './told/receivers.ts'

export interface House {
  keepers: Keepers
  revisions: Revisions
  namings: Namings
  post: Post
  receivers: Receivers
  notifiers: Notifiers
  faults: string[]
  /** Periods in which a sender had to retry. Its command can have been carried out at any instant of the period. */
  retried: { from: number; until: number }[]
  /** Injects a fault into the keepers during the next command; null: no fault. */
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
