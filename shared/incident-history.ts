// The history of an incident as generation 3 shows it, from the records of its machine. Pure. Rule: docs/reference/v3.md, 5.2.
import type { HistoryDocument, IncidentHistoryKind } from '#shared/contracts/incident.ts'
import type { Condition, Evidence } from '#shared/contracts/verdict.ts'

type IncidentRecord = Pick<HistoryDocument, 'kind' | 'at' | 'event' | 'condition' | 'explanation' | 'evidence'>

export interface HistoryEntry {
  /** When it took effect, ms. */
  at: number
  kind: IncidentHistoryKind
  condition: Condition
  explanation: string
  /** Null if a command closed the incident. */
  evidence: Evidence | null
}

/** Oldest first. `records` are all of one incident, in their order. */
export function historyOf(records: readonly IncidentRecord[]): HistoryEntry[] {
  const history: HistoryEntry[] = []
  for (const [i, record] of records.entries()) addToHistory(history, record, records[i - 1] ?? null)
  return history
}

/** Adds the entry of a record to the end of `history`, if it has one. `before` is the record before it; null: it is the first. */
export function addToHistory(history: HistoryEntry[], record: IncidentRecord, before: IncidentRecord | null): void {
  const kind = kindOf(record, before)
  if (kind === null) return
  // A recovery that closes at the judgement that found it is a closing alone.
  if (kind === 'closed' && before !== null && isSameJudgement(before, record)) history.pop()
  const { at, condition, explanation } = record
  history.push({ at, kind, condition, explanation, evidence: isByCommand(record) ? null : record.evidence })
}

function kindOf({ kind, event, condition }: IncidentRecord, before: IncidentRecord | null): IncidentHistoryKind | null {
  if (before === null) return 'opened'
  if (kind === 'closed') return 'closed'
  if (event.type === 'hold.elapsed') return 'confirmed'
  return condition === before.condition ? null : 'verdict_changed'
}

const isSameJudgement = (recovering: IncidentRecord, closed: IncidentRecord): boolean =>
  recovering.kind === 'recovering' && closed.event.type === 'recovery.elapsed' && recovering.event.at === closed.event.at

const isByCommand = ({ event }: IncidentRecord): boolean => event.type === 'rule.removed' || event.type === 'subject.archived'
