// What layout 1 kept otherwise: one place for both adapters. Pure.
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { observationOfSeries } from '#shared/ids.ts'
import { type PushedReport, pushedRow } from '#shared/pushed-row.ts'

/** A pushed observation of layout 1, as far as it is taken over. id: `<subject>.<signal key>.<labels hash>.<observed, µs>`. */
export type PushedOfLayout1 = PushedReport & { id: string; expireAt: number }

export function fromLayout1(old: PushedOfLayout1): PushedObservationDocument {
  const instant = old.id.lastIndexOf('.')
  return pushedRow(observationOfSeries(old.id.slice(0, instant), Number(old.id.slice(instant + 1))), old, old.expireAt)
}
