// Documents of layout 1 converted to the present layout, for both adapters. Pure.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import { type PushedReport, pushedRow } from '#shared/subjects/pushed-row.ts'
import { observationOfSeries } from '#shared/text/ids.ts'

/** The fields of a pushed observation of layout 1 that are kept. id: `<subject>.<signal key>.<labels hash>.<observed, µs>`. */
export type PushedOfLayout1 = PushedReport & { id: string; expireAt: number }

export function fromLayout1(old: PushedOfLayout1): PushedObservationDocument {
  const instant = old.id.lastIndexOf('.')
  return pushedRow(observationOfSeries(old.id.slice(0, instant), Number(old.id.slice(instant + 1))), old, old.expireAt)
}
