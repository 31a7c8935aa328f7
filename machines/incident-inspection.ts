// Records of an incident as messages of the Stately inspection protocol, in the shapes that @statelyai/inspect 0.7.2 sends. Pure.
import type { RecordedEvent } from '#shared/contracts/common.ts'
import { incidentMachine } from './incident.ts'

/** The part of an incident's history record that the protocol shows. Instants in ms since the epoch. */
export interface InspectedEntry {
  sequence: number
  at: number
  event: RecordedEvent
  state: string
  deadlineAt: number | null
  condition: string
  explanation: string
}

export type InspectionMessage = { type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot'; _version: string } & Record<
  string,
  unknown
>

const protocolVersion = '0.7.2'

/**
 * Yields the messages for a history. `sessionId`: name of the incident in the inspector. The message of the first record (sequence 1)
 * creates the incident's actor there.
 */
export function* inspectionOf(sessionId: string, history: Iterable<InspectedEntry>): Generator<InspectionMessage> {
  for (const entry of history) {
    const { sequence, event } = entry
    const common = { sessionId, rootId: sessionId, _version: protocolVersion, createdAt: String(event.at) }
    const snapshot = snapshotOf(entry)
    if (sequence === 1) {
      const definition = JSON.stringify(incidentMachine.config)
      yield { type: '@xstate.actor', name: incidentMachine.id, definition, snapshot, ...common, id: `${sessionId} actor` }
    }
    yield { type: '@xstate.event', event, ...common, id: `${sessionId} event ${sequence}` }
    yield { type: '@xstate.snapshot', event, snapshot, ...common, id: `${sessionId} snapshot ${sequence}` }
  }
}

/** Returns a record as a snapshot. A record contains only a part of the machine's context, so the inspector shows only this part. */
function snapshotOf({ state, deadlineAt, condition, explanation }: InspectedEntry) {
  const status = state === 'closed' ? 'done' : 'active'
  const context = { condition, deadlineAt, explanation }
  return { status, value: state, context, children: {}, historyValue: {}, tags: [] }
}
