// Rebuilds an incident from its records alone: each recorded event is given to the machine again, and every step must lead to the
// state and the deadline that were recorded, the last one to the incident as it is stored. Pure.
import { initialTransition, transition } from 'xstate'
import { type IncidentEvent, incidentMachine, incidentVersion } from '#machines/incident.ts'
import type { HistoryDocument, IncidentContext, IncidentDocument, IncidentState } from '#shared/contracts/incident.ts'

export interface ReplayStep {
  sequence: number
  at: number
  kind: string
  event: HistoryDocument['event']
  /** Where the machine stands after the event, as replayed. */
  state: IncidentState
  deadlineAt: number | null
  explanation: string
  evidence: HistoryDocument['evidence']
  /** Where records and machine do not agree; empty where they do. */
  faults: string[]
}

export interface Replay {
  steps: ReplayStep[]
  /** Everything that does not fit: of the steps, and of the stored incident against the last of them. */
  faults: string[]
}

type Snapshot = ReturnType<typeof incidentMachine.resolveState>

/** `history` in the order of its sequence. */
export function replayIncident(incident: IncidentDocument, history: readonly HistoryDocument[]): Replay {
  const [opening] = history
  if (opening === undefined) return { steps: [], faults: ['there is no record of this incident'] }
  let snapshot = opened(incident, opening)
  const steps: ReplayStep[] = []
  for (const [i, entry] of history.entries()) {
    if (i > 0) [snapshot] = transition(incidentMachine, snapshot, entry.event as IncidentEvent)
    steps.push(stepOf(entry, snapshot, i + 1))
  }
  const inSteps = steps.flatMap(step => step.faults.map(fault => `record ${step.sequence}: ${fault}`))
  return { steps, faults: [...inSteps, ...storedFaults(incident, snapshot)] }
}

/** The first record tells the condition and the holds with which the incident was opened. */
function opened(incident: IncidentDocument, { event }: HistoryDocument): Snapshot {
  const [snapshot] = initialTransition(incidentMachine, {
    incidentId: incident.id,
    ruleKey: incident.ruleKey,
    at: event.at,
    condition: event.type === 'no_data.judged' ? 'no_data' : 'problem',
    confirmAfterMs: Number(event['confirmAfterMs'] ?? 0),
    closeAfterMs: Number(event['closeAfterMs'] ?? 0),
  })
  return snapshot as Snapshot
}

function stepOf(entry: HistoryDocument, snapshot: Snapshot, expected: number): ReplayStep {
  const context = snapshot.context as IncidentContext
  const state = snapshot.value as IncidentState
  const faults: string[] = []
  if (entry.sequence !== expected) faults.push(`expected to be number ${expected}: a record is missing`)
  if (entry.version !== incidentVersion)
    faults.push(`made by version ${entry.version} of the machine, replayed by version ${incidentVersion}`)
  if (entry.state !== state) faults.push(`recorded state ${entry.state}, the machine says ${state}`)
  if (entry.deadlineAt !== context.deadlineAt)
    faults.push(`recorded deadline ${text(entry.deadlineAt)}, the machine says ${text(context.deadlineAt)}`)
  const { sequence, at, kind, event, explanation, evidence } = entry
  return { sequence, at, kind, event, state, deadlineAt: context.deadlineAt, explanation, evidence, faults }
}

const statusOf: Record<IncidentState, IncidentDocument['status']> = {
  pending: 'pending',
  problem: 'problem',
  noData: 'no_data',
  recovering: 'recovering',
  closed: 'ok',
}

/** The stored incident is what the last step says, field by field. */
function storedFaults(incident: IncidentDocument, snapshot: Snapshot): string[] {
  const context = snapshot.context as IncidentContext
  const replayed = {
    status: statusOf[snapshot.value as IncidentState],
    condition: context.condition,
    troubleSince: context.troubleSince,
    confirmedAt: context.confirmedAt,
    wellSince: context.wellSince,
    closedAt: context.closedAt,
    closedReason: context.closedReason,
    acknowledgedAt: context.acknowledgedAt,
    acknowledgedBy: context.acknowledgedBy,
    deadlineAt: context.deadlineAt,
  }
  return Object.entries(replayed).flatMap(([field, value]) => {
    const stored = incident[field as keyof typeof replayed]
    return stored === value ? [] : [`the stored incident has ${field} ${text(stored)}, its records lead to ${text(value)}`]
  })
}

const text = (value: unknown) => (value === null ? 'none' : String(value))
