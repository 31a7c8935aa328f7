// Pairs of a subject's checked signals and their locations, which the API shows as signals of the platform. Pure.
import { reachability } from '#shared/checks/template-parts.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { second } from '#shared/limits/limits.ts'
import { checkedSignalKey } from './resource-signals.ts'
import { sourceAt } from './sources.ts'

export interface CheckedPair {
  /** `<signal>@<location id>`. */
  key: string
  signal: string
  locationId: string
  /** Source of the results. */
  source: string
  everySeconds: number
}

/** Returns the pairs in the order of the signals. */
export function checkedPairs({ check, templated }: Pick<SubjectDocument, 'check' | 'templated'>): CheckedPair[] {
  if (check !== null) {
    const everySeconds = intervalMs(check) / second
    return check.locations.map(locationId => pairOf(reachability, locationId, locationId, everySeconds))
  }
  return (templated?.checks ?? []).flatMap(({ signal, suffix, locations, everySeconds }) =>
    locations.map(locationId => pairOf(signal, locationId, sourceAt(locationId, suffix), everySeconds)),
  )
}

const pairOf = (signal: string, locationId: string, source: string, everySeconds: number): CheckedPair => ({
  key: checkedSignalKey(signal, locationId),
  signal,
  locationId,
  source,
  everySeconds,
})
