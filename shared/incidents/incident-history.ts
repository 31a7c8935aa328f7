// The history of an incident as generation 3 shows it, computed from the records of its machine. Pure. Reference: docs/reference/v3.md, 5.2
// to 5.4.
import type { HistoryDocument, IncidentHistoryKind } from '#shared/contracts/incidents/incident.ts'
import type { RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'

type Listed = Pick<HistoryDocument, 'sequence' | 'at' | 'state' | 'event' | 'condition' | 'explanation' | 'evidence'>

export type HistoryEntry = Omit<RecordedTransition, 'sequence'>

/** Returns the history entry of a listed record. */
export function historyEntry({ sequence, at, state, event, condition, explanation, evidence }: Listed): HistoryEntry {
  const isByCommand = event.type === 'rule.removed' || event.type === 'subject.archived'
  return { at, kind: kindOf({ sequence, state, event }), condition, explanation, evidence: isByCommand ? null : evidence }
}

function kindOf({ sequence, state, event }: Pick<HistoryDocument, 'sequence' | 'state' | 'event'>): IncidentHistoryKind {
  if (sequence === 1) return 'opened'
  if (event.type === 'hold.elapsed' || event.type === 'flapping.counted') return 'confirmed'
  return state === 'closed' ? 'closed' : 'verdict_changed'
}
