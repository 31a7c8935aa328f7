// Replay of an incident from its records alone: the machine gets each recorded event again. Every record must agree with the machine, with
// the order of judgements and with its evidence. The last record must agree with the stored incident. Pure. Some facts are not checked,
// because records do not determine them: `muted`, the channel of an acknowledgement, and delays that were replaced without effect.
// `recorded-judgement.ts` and `stored-incident.ts` list more facts that are not checked.
import { incidentMachine, incidentVersion } from '#machines/incident.ts'
import { isListed, tookEffectAt } from '#machines/incident-records.ts'
import type { IncidentEvent } from '#machines/incident-types.ts'
import { initialTransition, type Order as MachineOrder, transition } from '#machines/transition.ts'
import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type {
  HistoryDocument,
  HistoryKind,
  IncidentContext,
  IncidentDocument,
  IncidentState,
} from '#shared/contracts/incidents/incident.ts'
import { beginning, eventFault, isJudged, isTimed, type Order, orderAfter, orderFaults } from './judging-order.ts'
import { judgementFaults } from './recorded-judgement.ts'
import { storedFaults, text } from './stored-incident.ts'

export interface ReplayStep {
  sequence: number
  at: number
  kind: string
  event: HistoryDocument['event']
  /** State of the machine after the event, as replayed. */
  state: IncidentState
  deadlineAt: number | null
  explanation: string
  evidence: HistoryDocument['evidence']
  /** Differences between this record and the machine; empty: no difference. */
  faults: string[]
}

export interface Replay {
  steps: ReplayStep[]
  /** All differences of the steps, and the differences between the last step and the stored incident. */
  faults: string[]
}

interface Position {
  snapshot: ReturnType<typeof incidentMachine.resolveState>
  alerts: number
  order: Order
}

/**
 * Replays an incident. `history`: its records in the order of `sequence`. `held`: the incident in its subject's document; null: no subject
 * has the incident; absent: the subject was not read.
 */
export function replayIncident(
  incident: IncidentDocument,
  history: readonly HistoryDocument[],
  held?: HeldIncident | null,
): Replay {
  const [first] = history
  const last = history.at(-1)
  if (first === undefined || last === undefined) return { steps: [], faults: ['there is no record of this incident'] }
  const unopened = eventFault(first.event, true)
  if (unopened !== null) return { steps: [], faults: [`record ${first.sequence}: ${unopened}`] }
  const opening = take(incident, null, first, 1)
  let { position } = opening
  const steps = [stepOf(first, position, opening.faults)]
  for (const [i, entry] of history.slice(1).entries()) {
    const taken = take(incident, position, entry, i + 2)
    position = taken.position
    steps.push(stepOf(entry, position, taken.faults))
  }
  const { snapshot, alerts, order } = position
  const inSteps = steps.flatMap(step => step.faults.map(fault => `record ${step.sequence}: ${fault}`))
  const missing = order.owed === null ? [] : [`a record is missing: the last judgement leads to ${order.owed.type}, too`]
  const reached = { state: stateOf(snapshot), context: contextOf(snapshot), alerts, first, last }
  return { steps, faults: [...inSteps, ...missing, ...storedFaults(incident, reached, held)] }
}

function take(
  incident: IncidentDocument,
  before: Position | null,
  entry: HistoryDocument,
  expected: number,
): { position: Position; faults: string[] } {
  const identity = identityFaults(incident, entry, expected)
  const unknown = eventFault(entry.event, before === null)
  // Only a later event can have this fault, because `replayIncident` has checked the first event.
  if (unknown !== null && before !== null) return { position: before, faults: [...identity, unknown] }
  const { snapshot, kinds, announced } = before === null ? opened(incident, entry) : moved(before, entry)
  const contextBefore = before === null ? null : contextOf(before.snapshot)
  const context = contextOf(snapshot)
  const order = before?.order ?? beginning
  const faults = [
    ...identity,
    ...machineFaults(entry, snapshot, kinds, contextBefore),
    ...verdictFaults(entry, context),
    ...judgementFaults(entry, incident.ruleKey),
    ...orderFaults(order, entry, contextBefore),
  ]
  const position = {
    snapshot,
    alerts: (before?.alerts ?? 0) + announced,
    order: orderAfter(order, entry, contextBefore, context),
  }
  return { position, faults }
}

interface Moved {
  snapshot: Position['snapshot']
  kinds: HistoryKind[]
  announced: number
}

function opened(incident: IncidentDocument, { event }: HistoryDocument): Moved {
  const [snapshot, orders] = initialTransition(incidentMachine, {
    incidentId: incident.id,
    ruleKey: incident.ruleKey,
    at: event.at,
    condition: event.type === 'no_data.judged' ? 'no_data' : 'problem',
    confirmAfterMs: event['confirmAfterMs'] as number,
    closeAfterMs: event['closeAfterMs'] as number,
    announcesAll: event['announcesAll'] === true,
    muted: event['muted'] === true,
  })
  return { snapshot: snapshot as Moved['snapshot'], kinds: ['pending'], announced: announcementsOf(orders) }
}

const announcementsOf = (orders: readonly MachineOrder[]): number => orders.filter(({ type }) => type === 'announce').length

/** Sends an event to the machine. Returns the kinds of the records and the number of the messages that the machine requests. */
function moved({ snapshot: before }: Position, { event }: HistoryDocument): Moved {
  const [snapshot, orders] = transition(incidentMachine, before, event as IncidentEvent)
  const kinds = orders.flatMap(({ type, params }) => (type === 'record' ? [(params as { kind: HistoryKind }).kind] : []))
  return { snapshot: snapshot as Moved['snapshot'], kinds, announced: announcementsOf(orders) }
}

function identityFaults(incident: IncidentDocument, entry: HistoryDocument, expected: number): string[] {
  const { id, rev, incidentId, subjectId, sequence, machine, version } = entry
  const faults: string[] = []
  if (sequence !== expected) faults.push(`expected to be number ${expected}: a record is missing`)
  if (incidentId !== incident.id) faults.push(`it belongs to incident ${incidentId}`)
  if (subjectId !== incident.subjectId) faults.push(`it belongs to subject ${subjectId}`)
  if (id !== `${incident.id}.${sequence}`) faults.push(`its id is ${id}`)
  if (rev !== 1) faults.push('it was written more than once')
  if (machine !== 'incident') faults.push(`made by the machine ${machine}`)
  if (version !== incidentVersion)
    faults.push(`made by version ${version} of the machine, replayed by version ${incidentVersion}`)
  return faults
}

function machineFaults(
  entry: HistoryDocument,
  snapshot: Position['snapshot'],
  kinds: HistoryKind[],
  before: IncidentContext | null,
): string[] {
  if (kinds.length === 0) return [`the machine accepts no ${entry.event.type} in state ${stateOf(snapshot)}`]
  const after = contextOf(snapshot)
  const { condition, deadlineAt } = after
  const expected: [string, unknown, unknown][] = [
    ['kind', entry.kind, kinds.join(', ')],
    ['at', entry.at, tookEffectAt(entry.event, after)],
    ['state', entry.state, stateOf(snapshot)],
    ['deadline', entry.deadlineAt, deadlineAt],
    ['condition', entry.condition, condition],
    ['listed', entry.listed, isListed(entry.event, before, after) ? 1 : 0],
  ]
  return expected
    .filter(([, recorded, replayed]) => recorded !== replayed)
    .map(([field, recorded, replayed]) => `recorded ${field} ${text(field, recorded)}, the machine says ${text(field, replayed)}`)
}

/**
 * At a judgement or deadline, the recorded verdict must equal the machine's condition. The exception is a reminder while the verdict is
 * `not_judged`.
 */
function verdictFaults({ verdict, event }: HistoryDocument, { condition }: IncidentContext): string[] {
  if (verdict === 'not_judged' && event.type.startsWith('reminder.')) return []
  const isDetermined = isJudged(event.type) || isTimed(event.type)
  return isDetermined && verdict !== condition ? [`recorded verdict ${verdict}, the machine says ${condition}`] : []
}

function stepOf(entry: HistoryDocument, { snapshot }: Position, faults: string[]): ReplayStep {
  const { sequence, at, kind, event, explanation, evidence } = entry
  const { deadlineAt } = contextOf(snapshot)
  return { sequence, at, kind, event, state: stateOf(snapshot), deadlineAt, explanation, evidence, faults }
}

const stateOf = (snapshot: Position['snapshot']) => snapshot.value as IncidentState
const contextOf = (snapshot: Position['snapshot']) => snapshot.context as IncidentContext
