// Checked signals of a Resource, with what each location reported last. Pure. Reference: docs/reference/v3.md, 6.11.
import type { ResourceCheckView } from '#shared/contracts/resources/resource-views.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { sourceAt } from './sources.ts'

/** Returns the checked signals that the Resource's Template has, in its order. */
export const presentSignals = (templated: SubjectDocument['templated']): CheckedSignal[] =>
  (templated?.checks ?? []).filter(({ locations }) => locations.length > 0)

export function resourceChecks({ templated, readings }: Pick<SubjectDocument, 'templated' | 'readings'>): ResourceCheckView[] {
  return presentSignals(templated).map(({ signal, type, suffix, everySeconds, agreement, locations }) => ({
    ...{ signal, type, everySeconds, agreement },
    locations: locations.map(id => {
      const { at = null, ok = false, totalMs = null, error = null, cannot = null } = readings[sourceAt(id, suffix)] ?? {}
      if (at === null) return { id, state: null, value: null, at, reason: null, cannot }
      return { id, state: ok ? 'ok' : 'problem', value: totalMs, at, reason: error, cannot }
    }),
  }))
}
